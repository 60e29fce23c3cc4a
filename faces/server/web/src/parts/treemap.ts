// Treemaps: parts of a whole as areas, each with its own parts inside.

import { hierarchy, treemap, treemapSquarify, type HierarchyRectangularNode } from "d3-hierarchy";
import { h, s, show } from "../dom";

export interface Area {
  label: string;
  size: number;
  /** What is said of it, whole sentences for those who don't see it. */
  about: string;
  href?: string | null;
  isOthers?: boolean;
  parts?: Area[];
}

const HEIGHT = 520;
const HEAD = 20;
/** Least width and height of an area that has its name. */
const NAMED = [34, 15] as const;
const TINTS = 8;

type Node = HierarchyRectangularNode<Area>;

function laidOut(areas: Area[], width: number): Node[] {
  const root = hierarchy<Area>(
    { label: "", size: 0, about: "", parts: areas },
    (area) => area.parts,
  )
    .sum((area) => (area.parts && area.parts.length > 0 ? 0 : area.size))
    .sort(
      (a, b) =>
        Number(a.data.isOthers ?? false) - Number(b.data.isOthers ?? false) || b.value! - a.value!,
    );
  // Of an area with parts the size counts, not the sum of its parts.
  root.children?.forEach((top) => {
    const sum = top.value || 1;
    top
      .descendants()
      .forEach((node) => Object.assign(node, { value: (node.value! * top.data.size) / sum }));
  });
  Object.assign(root, { value: root.children?.reduce((sum, top) => sum + top.value!, 0) ?? 0 });
  const layout = treemap<Area>()
    .tile(treemapSquarify.ratio(1.3))
    .size([width, HEIGHT])
    .paddingInner(2)
    .paddingTop((node) => (node.depth === 1 && node.children ? HEAD : 0))
    .round(true);
  return layout(root).children ?? [];
}

function drawn(node: Node, tint: number): SVGElement {
  const [width, height] = [node.x1 - node.x0, node.y1 - node.y0];
  const { data } = node;
  const isTop = node.depth === 1;
  const isNamed = width >= NAMED[0] && height >= NAMED[1];
  const kind = ["area", isTop ? "top" : "part", data.isOthers ? "others" : `tint-${tint}`];
  const box = [
    s("title", {}, data.about),
    s("rect", { x: node.x0, y: node.y0, width: Math.max(0, width), height: Math.max(0, height) }),
    // HTML cuts a name with an ellipsis, which SVG can't.
    isNamed
      ? s(
          "foreignObject",
          { x: node.x0, y: node.y0, width, height: Math.min(height, HEAD) },
          h("div", {}, data.label),
        )
      : null,
  ];
  const attributes = { class: kind.join(" "), "aria-label": data.about };
  return data.href
    ? s("a", { ...attributes, href: data.href, "data-item": true }, box)
    : s("g", { ...attributes, role: "img" }, box);
}

/** The drawing; it follows the width of what it is in. */
export function treemapOf(areas: Area[], about: string, signal: AbortSignal): HTMLElement {
  const frame = h("div", { class: "treemap", "data-drawing": true });
  let lastWidth = 0;
  const draw = () => {
    const width = Math.floor(frame.clientWidth);
    if (width === 0 || width === lastWidth) return;
    lastWidth = width;
    const tops = laidOut(areas, width);
    const all = tops.flatMap((top, at) => {
      const parts = top.children ?? [];
      // Areas of a pixel or two are no use to anybody.
      const seen = parts.filter((part) => part.x1 - part.x0 >= 3 && part.y1 - part.y0 >= 3);
      return [drawn(top, at % TINTS), ...seen.map((part) => drawn(part, at % TINTS))];
    });
    const svg = s(
      "svg",
      {
        viewBox: `0 0 ${width} ${HEIGHT}`,
        width,
        height: HEIGHT,
        role: "group",
        "aria-label": about,
      },
      all,
    );
    show(frame, svg);
  };
  const observer = new ResizeObserver(draw);
  observer.observe(frame);
  signal.addEventListener("abort", () => observer.disconnect());
  return frame;
}
