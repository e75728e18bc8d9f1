// One choice of the theme for all pages. Streamlit stores it by the path of the page on which it was loaded, so that a page
// that is reloaded would forget what was chosen on another. Here all of these entries are one; an entry that was stored by
// path before is read until the user chooses again.
(() => {
  const BY_PATH = /^stActiveTheme-\/.*(-v\d+)$/;
  const shared = (key) => String(key).replace(BY_PATH, "stActiveTheme$1");
  const { getItem, setItem, removeItem } = Storage.prototype;
  Storage.prototype.getItem = function (key) {
    return getItem.call(this, shared(key)) ?? getItem.call(this, key);
  };
  Storage.prototype.setItem = function (key, value) {
    setItem.call(this, shared(key), value);
  };
  Storage.prototype.removeItem = function (key) {
    removeItem.call(this, shared(key));
  };
})();
