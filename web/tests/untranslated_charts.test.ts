/** Charts, whose labels are tokens, are kept from translators of browsers, those that come later too. */

import { expect, it, vi } from "vitest"

import { keepChartsUntranslated } from "../src/page/untranslated_charts"

it("marks every chart of the page and no other element", async () => {
  keepChartsUntranslated()
  document.body.innerHTML = '<div data-testid="stPlotlyChart"></div><p></p>'
  await vi.waitFor(() => expect(document.querySelectorAll("[translate=no]").length).toBe(1))
  document.body.insertAdjacentHTML("beforeend", '<div data-testid="stPlotlyChart"></div>')
  await vi.waitFor(() => expect(document.querySelectorAll("[data-testid][translate=no]").length).toBe(2))
})
