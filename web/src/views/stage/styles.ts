/** The style of the stage; later files may override earlier ones. */

import controlsStyle from "../../core/controls.css"
import style from "../stage.css"
import figureStyle from "./figure.css"
import laneStyle from "./lane.css"
import phoneStyle from "./phone.css"
import playStyle from "./play.css"
import pullStyle from "./pull.css"
import railStyle from "./rail.css"
import wholeScreenStyle from "./whole_screen.css"

export default controlsStyle + style + figureStyle + pullStyle + railStyle + playStyle + laneStyle + phoneStyle + wholeScreenStyle
