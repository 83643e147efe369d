// Fields whose content the table has refused: they are marked, and described by the reason, until
// their content is changed.

import { clear, worded } from "./messages.js";

const refused = new Map(); // by a field's id: its content and the reason

// ``sentences`` say why the content of ``field`` was refused.
export function mark(field, sentences) {
  refused.set(field.id, { content: field.value, sentences });
  show();
}

function show() {
  for (const [id, { content, sentences }] of refused) {
    const field = document.getElementById(id);
    const there = document.getElementById(`${id}-refused`);
    if (!field || field.value !== content) {
      refused.delete(id);
      if (field) clear(); // its reader has read the reason
      there?.remove();
      field?.removeAttribute("aria-invalid");
      describe(field, id);
    } else if (!there) {
      const why = document.createElement("p");
      why.id = `${id}-refused`;
      why.className = "refused";
      why.append(...sentences.flatMap((one) => [worded(one), " "]));
      (field.closest(".field") ?? field).after(why);
      field.setAttribute("aria-invalid", "true");
      describe(field, id, why.id);
    } else {
      there.replaceChildren(...sentences.flatMap((one) => [worded(one), " "]));
    }
  }
}

// Few screen readers read an error message, and all read a description.
function describe(field, id, why = "") {
  const others = field?.getAttribute("aria-describedby")?.split(" ") ?? [];
  const all = [...others.filter((one) => one !== `${id}-refused`), why].filter(Boolean);
  if (all.length) field?.setAttribute("aria-describedby", all.join(" "));
  else field?.removeAttribute("aria-describedby");
}

for (const event of ["input", "change", "changed", "done"]) {
  document.addEventListener(event, () => show());
}
