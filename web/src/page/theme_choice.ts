/**
 * One choice of the theme for all pages. Streamlit stores it by the path of the page on which it was loaded, so that a page
 * that is reloaded would forget what was chosen on another. Here all of these entries are one; an entry that was stored by
 * path before is read until the user chooses again.
 */

const BY_PATH = /^stActiveTheme-\/.*(-v\d+)$/

/** The key of all pages for a key of Streamlit's; any other key stays as it is. */
export function sharedKey(key: string): string {
  return key.replace(BY_PATH, "stActiveTheme$1")
}

export function shareTheme(): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the storage
  const { getItem, setItem, removeItem } = Storage.prototype
  Storage.prototype.getItem = function (key: string) {
    return getItem.call(this, sharedKey(String(key))) ?? getItem.call(this, key)
  }
  Storage.prototype.setItem = function (key: string, value: string) {
    setItem.call(this, sharedKey(String(key)), value)
  }
  Storage.prototype.removeItem = function (key: string) {
    removeItem.call(this, sharedKey(String(key)))
  }
}
