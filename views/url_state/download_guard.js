// Make a downloaded file contain what the screen shows. Pending values of components are sent to the server first, and a
// download that is pressed during a run waits until the run has ended. Before that, the server would make the file of
// the previous view, or none because it no longer knows the button.
(() => {
  const BUTTON = "[data-testid=stDownloadButton] button";
  const BEGINS = 1000; // milliseconds after a message within which a run may start; some messages request none
  const MOST = 20000; // milliseconds after which the button is pressed in any case
  let sent = -Infinity; // when the last message was sent
  let pressing = false; // the message of a download button requests no run

  const running = () => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState !== "notRunning";
  new MutationObserver(() => running() && (sent = -Infinity)).observe(document, {
    subtree: true,
    attributeFilter: ["data-test-script-state"],
  });
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (message) {
    if (!pressing) sent = performance.now();
    send.call(this, message);
  };
  addEventListener("telling", () => (sent = performance.now())); // Streamlit sends it a moment later

  const isReady = () => !running() && performance.now() - sent > BEGINS;
  // The new page may have a new button; the class of its container contains the name of the file.
  const containerOf = (button) => [...(button.closest("[class*=st-key-download]")?.classList ?? [])].find((name) => /^st-key-/.test(name));
  const press = (button, container) => {
    const target = button.isConnected || !container ? button : document.querySelector(`.${CSS.escape(container)} button`);
    button.removeAttribute("aria-busy");
    pressing = true;
    target?.click();
    pressing = false;
  };

  addEventListener(
    "click",
    (event) => {
      const button = event.target.closest?.(BUTTON);
      if (!button || pressing) return;
      dispatchEvent(new Event("leavingpage")); // components send their pending values
      if (!button.ariaBusy && isReady()) {
        pressing = true;
        setTimeout(() => (pressing = false));
        return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
      if (button.ariaBusy) return;
      button.setAttribute("aria-busy", true);
      const [start, container] = [performance.now(), containerOf(button)];
      const wait = () => {
        if (isReady() || performance.now() - start > MOST) press(button, container);
        else setTimeout(wait, 20);
      };
      setTimeout(wait, 20);
    },
    true,
  );
})();
