// Elements, made in one expression.

export type Child = Node | string | number | null | undefined | false | Child[];
type Value = string | number | boolean | null | undefined | ((event: never) => void);
export type Attributes = Record<string, Value>;

const SVG = "http://www.w3.org/2000/svg";

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value as EventListener);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  add(element, children);
}

/** Appends children; what is no child is left out. */
export function add(to: Element | DocumentFragment, children: Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) add(to, child);
    else if (child instanceof Node) to.append(child);
    else if (child !== null && child !== undefined && child !== false) to.append(String(child));
  }
}

/** An element of HTML. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/** An element of SVG. */
export function s(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS(SVG, tag);
  fill(element, attributes, children);
  return element;
}

/** Sets a property of an element's own style: the content security policy admits no attribute. */
export function styled<E extends HTMLElement | SVGElement>(
  element: E,
  properties: Record<string, string>,
): E {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
  return element;
}

/** Replaces all that an element holds. */
export function show(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  add(element, children);
}
