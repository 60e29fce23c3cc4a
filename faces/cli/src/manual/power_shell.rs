//! Completions for PowerShell.

use std::fmt::Write as _;

use super::{Opt, Page, Values, children};

/// One block: it follows the words to a command, then offers values, options and commands with what
/// they do. Where it offers nothing, PowerShell offers files.
pub(super) fn generate(pages: &[Page], program: &str) -> String {
    let paths: Vec<String> = pages.iter().map(|page| quoted(&page.path)).collect();
    let mut out = format!(
        "using namespace System.Management.Automation\n\n\
         Register-ArgumentCompleter -Native -CommandName '{program}' -ScriptBlock {{\n  \
         param($now, $line, $at)\n  \
         $known = @({})\n  $path = ''\n  $before = ''\n  $values = @()\n  $follows = $true\n  \
         foreach ($element in ($line.CommandElements | Select-Object -Skip 1)) {{\n    \
         if ($element.Extent.EndOffset -ge $at -and $now -ne '') {{ break }}\n    \
         $before = $element.Extent.Text\n    \
         $next = \"$path $before\".Trim()\n    \
         if ($follows -and $known -ccontains $next) {{ $path = $next }} else {{ $follows = $false }}\n  }}\n  \
         $values = switch -CaseSensitive (\"$path $before\".Trim()) {{\n",
        paths.join(", ")
    );
    for page in pages {
        page.options.iter().for_each(|option| put_values(page, option, &mut out));
    }
    out += "  }\n  if ($values) {\n    \
            return $values.Split(' ') | Where-Object { $_ -clike \"$now*\" } |\n      \
            ForEach-Object { [CompletionResult]::new($_, $_, [CompletionResultType]::ParameterValue, $_) }\n  }\n  \
            $offered = switch -CaseSensitive ($path) {\n";
    for page in pages {
        let _ = writeln!(out, "    {} {{", quoted(&page.path));
        for child in children(pages, &page.path) {
            put(child.name(), "ParameterValue", child.summary, &mut out);
        }
        for option in &page.options {
            let help = if option.help().is_empty() { &option.names[0] } else { option.help() };
            option.names.iter().for_each(|name| put(name, "ParameterName", help, &mut out));
            let what = option.names.last().map_or("", String::as_str);
            for undo in &option.undo {
                put(undo, "ParameterName", &format!("Undo {what}."), &mut out);
            }
        }
        out += "      break\n    }\n";
    }
    out + "  }\n  $offered | Where-Object { $_.CompletionText -clike \"$now*\" }\n}\n"
}

fn put_values(page: &Page, option: &Opt, out: &mut String) {
    let Values::Words(words) = &option.values else { return };
    for name in &option.names {
        let call = format!("{} {name}", page.path);
        let _ =
            writeln!(out, "    {} {{ {} }}", quoted(call.trim_start()), quoted(&words.join(" ")));
    }
}

fn put(name: &str, kind: &str, help: &str, out: &mut String) {
    let name = quoted(name);
    let _ = writeln!(
        out,
        "      [CompletionResult]::new({name}, {name}, [CompletionResultType]::{kind}, {})",
        quoted(help)
    );
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
