// Says that an address leads to no page.

import { href } from "../core/address.js";
import { fill, h } from "../core/dom.js";
import { heading } from "../parts/card.js";
import { silence } from "../parts/silence.js";

export function show(main, { name }) {
  fill(
    main,
    heading("No such page"),
    silence(`There is no page called “${name}”.`, h("p", {}, h("a", { href: href("") }, "To the overview"))),
  );
}
