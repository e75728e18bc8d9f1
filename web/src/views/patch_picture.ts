/** A picture with its patches and maps over them: see patch_picture/view.ts. */

import { mounting } from "../core/component"
import controlsStyle from "../core/controls.css"
import style from "./patch_picture.css"
import { PatchPictureView } from "./patch_picture/view"

export default mounting(PatchPictureView, controlsStyle + style)
