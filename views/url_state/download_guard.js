// A file holds what the screen shows. What was chosen last is told to the server first, and a download that is pressed
// while the page is being made anew waits until it stands: before that, the server would make the file of the view that
// was left, or know the button no longer and make none.
(() => {
  const BUTTON = "[data-testid=stDownloadButton] button";
  const BEGINS = 1000; // milliseconds after a message in which a run may begin; some messages ask for none
  const MOST = 20000; // milliseconds; then the server may say what it likes
  let asked = -Infinity; // when the last message was sent
  let pressing = false; // what a button sends asks for no run

  const running = () => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState !== "notRunning";
  new MutationObserver(() => running() && (asked = -Infinity)).observe(document, {
    subtree: true,
    attributeFilter: ["data-test-script-state"],
  });
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (message) {
    if (!pressing) asked = performance.now();
    send.call(this, message);
  };
  addEventListener("telling", () => (asked = performance.now())); // Streamlit takes a moment to send that

  const stands = () => !running() && performance.now() - asked > BEGINS;
  // The new page may have a new button; its place has the name of the file.
  const placeOf = (button) => [...(button.closest("[class*=st-key-download]")?.classList ?? [])].find((name) => /^st-key-/.test(name));
  const press = (button, place) => {
    const found = button.isConnected || !place ? button : document.querySelector(`.${CSS.escape(place)} button`);
    button.removeAttribute("aria-busy");
    pressing = true;
    found?.click();
    pressing = false;
  };

  addEventListener(
    "click",
    (event) => {
      const button = event.target.closest?.(BUTTON);
      if (!button || pressing) return;
      dispatchEvent(new Event("leavingpage")); // components say what they still have to
      if (!button.ariaBusy && stands()) {
        pressing = true;
        setTimeout(() => (pressing = false));
        return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
      if (button.ariaBusy) return;
      button.setAttribute("aria-busy", true);
      const [began, place] = [performance.now(), placeOf(button)];
      const wait = () => {
        if (stands() || performance.now() - began > MOST) press(button, place);
        else setTimeout(wait, 20);
      };
      setTimeout(wait, 20);
    },
    true,
  );
})();
