// The editor of queries: CodeMirror, in a shadow tree, where its style sheets are adopted ones that
// the content security policy admits.

import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { history, historyKeymap, standardKeymap } from "@codemirror/commands";
import { EditorState } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  keymap,
  placeholder,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate,
} from "@codemirror/view";
import { FUNCTIONS, KEYWORDS, PREFIXES, prefixes, shortened, tokens } from "./sparql";

export interface Editor {
  element: HTMLElement;
  text: () => string;
  set: (text: string) => void;
  focus: () => void;
}

export interface Predicate {
  iri: string;
  quads: number;
}

const MARKS = new Map(
  ["comment", "iri", "string", "variable", "prefixed", "keyword", "number"].map((kind) => [
    kind,
    Decoration.mark({ class: `tok-${kind}` }),
  ]),
);

function marks(view: EditorView): DecorationSet {
  const found = [...tokens(view.state.doc.toString())];
  return Decoration.set(found.map(({ kind, from, to }) => MARKS.get(kind)!.range(from, to)));
}

const highlighted = ViewPlugin.fromClass(
  class {
    shown: DecorationSet;
    constructor(view: EditorView) {
      this.shown = marks(view);
    }
    update(update: ViewUpdate) {
      if (update.docChanged) this.shown = marks(update.view);
    }
  },
  { decorations: (plugin) => plugin.shown },
);

const look = EditorView.theme({
  "&": {
    fontSize: "13.5px",
    backgroundColor: "var(--field)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
    borderRadius: "4px",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-content": {
    fontFamily: "var(--mono)",
    padding: "10px 4px",
    caretColor: "var(--accent)",
    minHeight: "9.5em",
    lineHeight: "1.55",
  },
  ".cm-scroller": { fontFamily: "var(--mono)", maxHeight: "24em" },
  ".cm-placeholder": { color: "var(--muted)" },
  ".cm-tooltip": {
    backgroundColor: "var(--paper)",
    border: "1px solid var(--line)",
    borderRadius: "4px",
    boxShadow: "0 4px 16px rgb(0 0 0 / 0.14)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--mono)",
    fontSize: "12.5px",
    maxHeight: "16em",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--chosen)",
    color: "var(--ink)",
  },
  ".cm-completionDetail": { fontStyle: "normal", color: "var(--muted)", marginLeft: "1em" },
  ".cm-completionMatchedText": { textDecoration: "none", color: "var(--accent)" },
  ".tok-comment": { color: "var(--muted)", fontStyle: "italic" },
  ".tok-keyword": { color: "var(--accent)" },
  ".tok-string": { color: "var(--tok-string)" },
  ".tok-iri, .tok-prefixed": { color: "var(--tok-iri)" },
  ".tok-variable": { color: "var(--ink)", fontWeight: "600" },
  ".tok-number": { color: "var(--tok-string)" },
});

/** What is typed over several lines: left to itself the browser joins what is left by a style in an attribute, which
 * the policy blocks, and says so. */
const overLines = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main } = view.state.selection;
    const isOverLines =
      view.state.doc.lineAt(main.from).number !== view.state.doc.lineAt(main.to).number;
    if (event.inputType !== "insertText" || event.data === null || !isOverLines) return false;
    view.dispatch(view.state.replaceSelection(event.data), {
      userEvent: "input.type",
      scrollIntoView: true,
    });
    event.preventDefault();
    return true;
  },
});

function completions(predicates: Predicate[]) {
  const words: Completion[] = [
    ...KEYWORDS.map((label) => ({ label, type: "keyword" })),
    ...FUNCTIONS.map((label) => ({ label: label, apply: `${label}(`, type: "function" })),
    ...PREFIXES.map(([prefix, iri]) => ({
      label: `PREFIX ${prefix}:`,
      apply: `PREFIX ${prefix}: <${iri}>\n`,
      detail: iri,
      type: "namespace",
    })),
  ];
  const count = (quads: number) => `${quads.toLocaleString("en-US")} quads`;
  return (context: CompletionContext): CompletionResult | null => {
    const before = context.matchBefore(/[\p{L}\p{N}_:.?$<>/#-]*/u);
    if (before === null || (before.text === "" && !context.explicit)) return null;
    const text = context.state.doc.toString();
    if (/^[?$]/.test(before.text)) {
      const names = new Set([...text.matchAll(/[?$][\p{L}\p{N}_]+/gu)].map((found) => found[0]));
      names.delete(before.text);
      return {
        from: before.from,
        options: [...names].map((label) => ({ label, type: "variable" })),
      };
    }
    const known = prefixes(text);
    const named = predicates.map(({ iri, quads }, at): Completion => {
      const short = shortened(iri, known);
      const label = short === iri ? `<${iri}>` : short;
      // What is used most comes first.
      return { label, detail: count(quads), type: "property", boost: 50 - Math.min(50, at) };
    });
    return {
      from: before.from,
      options: [...named, ...words],
      validFor: /^[\p{L}\p{N}_:.<>/#-]*$/u,
    };
  };
}

/** An editor; Ctrl-Enter runs what is written. */
export function editor(
  text: string,
  label: string,
  predicates: Predicate[],
  run: () => void,
): Editor {
  const element = document.createElement("div");
  element.className = "editor";
  const root = element.attachShadow({ mode: "open" });
  const extensions = [
    keymap.of([
      { key: "Mod-Enter", run: () => (run(), true) },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...historyKeymap,
      ...standardKeymap,
    ]),
    history(),
    closeBrackets(),
    autocompletion({ override: [completions(predicates)], icons: false }),
    EditorView.lineWrapping,
    overLines,
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
    placeholder("SELECT * WHERE { ?subject ?predicate ?object } LIMIT 100"),
    highlighted,
    look,
  ];
  const view = new EditorView({
    state: EditorState.create({ doc: text, extensions }),
    root,
    parent: root,
  });
  return {
    element,
    text: () => view.state.doc.toString(),
    set: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    focus: () => view.focus(),
  };
}
