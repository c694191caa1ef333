"use strict";
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const block = document.getElementById(button.dataset.copies);
    const status = document.getElementById("copied");
    try {
      await navigator.clipboard.writeText(block.textContent);
      status.textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(block);
      status.textContent = "Selected; copy it with the keyboard.";
    }
  });
}
