/** The scripts of every page, as one classic script that runs before Streamlit's own. */

import { adoptStyles } from "../core/styles"
import { preloadCharts } from "./chart_preload"
import { showConnection } from "./connection_notice"
import contentStyle from "./content.css"
import { copyPrograms } from "./copy_button"
import { LeftPage, delayLinks, followInternalLinks, markMenuLinks, writeHistory } from "./history"
import { guardDownloads } from "./download_guard"
import { holdExperiments } from "./experiment_scroll"
import { enlargeMaps } from "./full_screen"
import { explainTerms } from "./glossary_tooltip"
import { followLanguage, type LanguageWords } from "./language"
import { showLessons } from "./lessons"
import { announceChanges } from "./live_region"
import navigationStyle from "./navigation.css"
import { placeMenu } from "./nav_scroll"
import { openFromTop } from "./opening"
import { presentPages } from "./presentation_mode"
import { markPrinting } from "./printing"
import { SentenceTyping } from "./sentence_typing"
import { shareTheme } from "./theme_choice"
import { keepChartsUntranslated } from "./untranslated_charts"

const script = document.currentScript as HTMLScriptElement // only while it runs for the first time
const site = new URL(".", script.src)
const { shared = "", moved = "", charts = "", charted = "", entered = "", waiting = "{}", late = "{}", words = "{}" } = script.dataset
const sharedNames = shared.split(" ")

// The server is where this script is, at the root of the site or below a path. Streamlit would first look below the page.
window.__streamlit = { BACKEND_BASE_URL: site.href }

adoptStyles(document, [navigationStyle, contentStyle])
openFromTop()
shareTheme()
const left = new LeftPage()
const markLinks = markMenuLinks(site, sharedNames)
const typing = new SentenceTyping(entered.split(" "), JSON.parse(late) as Record<string, string>)
const onWritten = () => {
  markLinks()
  typing.follow()
}
writeHistory({ shared: sharedNames, moved, left, onWritten })
delayLinks(left)
guardDownloads()
presentPages()
markPrinting()
enlargeMaps()
announceChanges()
placeMenu()
preloadCharts(site, charts, charted.split(" "))
explainTerms()
copyPrograms()
keepChartsUntranslated()
followInternalLinks()
followLanguage(JSON.parse(words) as LanguageWords)
showLessons(sharedNames)
holdExperiments()
showConnection(JSON.parse(waiting) as Record<string, string>)
