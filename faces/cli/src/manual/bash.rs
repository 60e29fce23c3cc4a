//! Completions for bash.

use std::fmt::Write as _;

use super::{Page, Values, children};

/// One function: it follows the words to a command, then offers the values of the option before the
/// cursor, the command's options, the commands below it, or files.
pub(super) fn generate(pages: &[Page], program: &str) -> String {
    let paths: Vec<String> = pages.iter().map(|page| format!("' {}'", page.path)).collect();
    let known = paths[1..].join(" | ");
    let follow = if known.is_empty() {
        String::new()
    } else {
        format!(
            "  while [ \"$index\" -lt \"$COMP_CWORD\" ]; do\n    case \"$at ${{COMP_WORDS[index]}}\" in\n      \
         {known}) at=\"$at ${{COMP_WORDS[index]}}\" ;;\n      *) break ;;\n    esac\n    \
         index=$((index + 1))\n  done\n"
        )
    };
    let mut out = format!(
        "_{program}() {{\n  local now=\"${{COMP_WORDS[COMP_CWORD]}}\" before=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n  \
         local at='' index=1 options='' commands='' values='' files=''\n  COMPREPLY=()\n  \
         # bash makes three words of --flag=value.\n  \
         if [ \"$now\" = = ]; then now=''; elif [ \"$before\" = = ]; then before=\"${{COMP_WORDS[COMP_CWORD-2]}}\"; fi\n\
         {follow}  case \"$at\" in\n"
    );
    for page in pages {
        let path = if page.path.is_empty() { String::new() } else { format!(" {}", page.path) };
        let _ = writeln!(out, "    '{path}')");
        put_page(page, &children(pages, &page.path), &mut out);
        out += "      ;;\n";
    }
    let _ = write!(
        out,
        "  esac\n  if [ -n \"$values\" ]; then\n    \
         mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$now\")\n  \
         elif [[ \"$now\" == -* ]]; then\n    \
         mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$now\")\n  \
         elif [ -n \"$commands\" ]; then\n    \
         mapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$now\")\n  \
         elif [ -n \"$files\" ]; then\n    \
         compopt -o filenames 2>/dev/null\n    \
         mapfile -t COMPREPLY < <(compgen \"$files\" -- \"$now\")\n  fi\n}}\n\
         complete -F _{program} {program}\n"
    );
    out
}

fn put_page(page: &Page, children: &[&Page], out: &mut String) {
    let _ = writeln!(out, "      options='{}'", page.words().collect::<Vec<_>>().join(" "));
    if !children.is_empty() {
        let names: Vec<&str> = children.iter().map(|child| child.name()).collect();
        let _ = writeln!(out, "      commands='{}'", names.join(" "));
    } else {
        let _ = writeln!(
            out,
            "      files={}",
            if page.values == Values::Folders { "-d" } else { "-f" }
        );
    }
    let taking: Vec<_> = page.options.iter().filter(|option| option.metavar().is_some()).collect();
    if taking.is_empty() {
        return;
    }
    out.push_str("      case \"$before\" in\n");
    for option in taking {
        let names = option.names.join(" | ");
        let offered = match &option.values {
            Values::Words(words) => format!("values='{}'", words.join(" ")),
            Values::Files => "files=-f commands='' options=''".to_owned(),
            Values::Folders => "files=-d commands='' options=''".to_owned(),
            Values::Any => "files='' commands='' options=''".to_owned(),
        };
        let _ = writeln!(out, "        {names}) {offered} ;;");
    }
    out.push_str("      esac\n");
}
