//! Completions for zsh.

use std::fmt::Write as _;

use super::{Opt, Page, Values, children};

/// A function for each command; that of a group hands over to those of its commands.
pub(super) fn generate(pages: &[Page], program: &str) -> String {
    let mut out = format!("#compdef {program}\n");
    for page in pages {
        let _ = write!(out, "\n{}() {{\n", function(program, &page.path));
        match children(pages, &page.path).as_slice() {
            [] => put_command(page, &mut out),
            children => put_group(page, children, program, &mut out),
        }
        out += "}\n";
    }
    // The file is run as the function itself when it lies in $fpath; sourced, it names it.
    let _ = write!(
        out,
        "\nif [ \"$funcstack[1]\" = _{program} ]; then\n  _{program} \"$@\"\nelse\n  compdef _{program} {program}\nfi\n"
    );
    out
}

fn function(program: &str, path: &str) -> String {
    let path = path.replace(' ', "_");
    if path.is_empty() { format!("_{program}") } else { format!("_{program}_{path}") }
}

fn put_command(page: &Page, out: &mut String) {
    // Letters join up, as in -inH, but where names have one dash.
    let has_single = page.words().any(|word| !word.starts_with("--") && word.len() > 2);
    out.push_str(if has_single { "  _arguments -S" } else { "  _arguments -s -S" });
    put_options(&page.options, out);
    let files = if page.values == Values::Folders { "_files -/" } else { "_files" };
    let _ = write!(out, " \\\n    '*:path:{files}'\n");
}

fn put_group(page: &Page, children: &[&Page], program: &str, out: &mut String) {
    out.push_str(
        "  local curcontext=\"$curcontext\" state line\n  typeset -A opt_args\n  _arguments -C -S",
    );
    put_options(&page.options, out);
    out.push_str(" \\\n    '1: :->command' \\\n    '*:: :->rest'\n  case $state in\n    command)\n      local -a commands=(\n");
    for child in children {
        let what = child.summary.replace('\\', "\\\\").replace(':', "\\:");
        let _ = writeln!(out, "        {}", quoted(&format!("{}:{what}", child.name())));
    }
    out.push_str(
        "      )\n      _describe command commands ;;\n    rest)\n      case $line[1] in\n",
    );
    for child in children {
        let _ = writeln!(out, "        {}) {} ;;", child.name(), function(program, &child.path));
    }
    out.push_str("      esac ;;\n  esac\n");
}

fn put_options(options: &[Opt], out: &mut String) {
    for option in options {
        let help = escaped(option.help());
        for name in &option.names {
            let joint = match option.metavar() {
                Some(_) if name.starts_with("--") => "=",
                Some(_) if name.len() == 2 => "+",
                _ => "",
            };
            let _ = write!(
                out,
                " \\\n    {}",
                quoted(&format!("*{name}{joint}[{help}]{}", value(option)))
            );
        }
        for undo in &option.undo {
            let what = option.names.last().map_or("", String::as_str);
            let _ = write!(out, " \\\n    {}", quoted(&format!("*{undo}[Undo {what}.]")));
        }
    }
}

/// `:WHEN:(never auto)`; nothing for a switch.
fn value(option: &Opt) -> String {
    let Some(metavar) = option.metavar() else { return String::new() };
    let metavar = escaped(metavar);
    match &option.values {
        Values::Any => format!(":{metavar}: "),
        Values::Files => format!(":{metavar}:_files"),
        Values::Folders => format!(":{metavar}:_files -/"),
        Values::Words(words) => format!(":{metavar}:({})", words.join(" ")),
    }
}

/// Without what `_arguments` takes for its own.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '\\' | '[' | ']' | ':' | '`' | '$') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
