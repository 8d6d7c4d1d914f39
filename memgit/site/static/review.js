// Filters of a review, and its two ways to show a text.
const field = (name) => document.getElementById(name);

function show() {
  for (const change of document.querySelectorAll(".review-change")) {
    change.hidden = (field("change").value && change.dataset.change !== field("change").value)
      || (field("found").checked && change.dataset.findings === "0");
  }
  for (const one of document.querySelectorAll(".as-one")) one.hidden = field("sides").checked;
  for (const two of document.querySelectorAll(".sides")) two.hidden = !field("sides").checked;
}

field("controls").addEventListener("change", show);
show();
