//! The flag table as a man page and as completions for shells: `--generate`.
//!
//! Callers: find/special

use std::fmt::Write as _;

use super::options::Script;
use super::table::{FLAGS, Flag};
use crate::command_names;
use crate::messages::Manners;

/// The text of one kind, for the program as it was called.
pub(crate) fn generate(script: Script, manners: Manners) -> String {
    let flags: Vec<&Flag> =
        FLAGS.iter().filter(|flag| manners == Manners::Manicule || !flag.own).collect();
    match script {
        Script::Man => man(&flags, manners),
        Script::Bash => bash(&flags, manners),
        Script::Zsh => zsh(&flags, manners),
        Script::Fish => fish(&flags, manners),
        Script::PowerShell => power_shell(&flags, manners),
    }
}

/// Each way to say a flag, with its dashes; the plain ones, then what undoes it.
fn spellings(flag: &Flag) -> (Vec<String>, Option<String>) {
    let letter = flag.short.map(|letter| format!("-{letter}"));
    let longs = [Some(flag.long), flag.alias].into_iter().flatten().map(|long| format!("--{long}"));
    (letter.into_iter().chain(longs).collect(), flag.negation.map(|long| format!("--{long}")))
}

fn words(flags: &[&Flag]) -> Vec<String> {
    let each = |flag: &&Flag| {
        let (plain, undo) = spellings(flag);
        plain.into_iter().chain(undo)
    };
    flags.iter().flat_map(each).collect()
}

fn man(flags: &[&Flag], manners: Manners) -> String {
    let (title, call) = match manners {
        Manners::Manicule => ("MANICULE-FIND", "manicule find"),
        Manners::Ripgrep => ("RG", "rg"),
    };
    let roff = |text: &str| {
        let text = text.replace('\\', "\\e").replace('-', "\\-");
        match text.starts_with(['.', '\'']) {
            true => format!("\\&{text}"),
            false => text,
        }
    };
    let mut out = format!(
        ".TH {title} 1\n.SH NAME\n{} \\- finds text in files and folders\n.SH SYNOPSIS\n\
         .B {call}\n[FLAGS] TEXT [PATH...]\n.SH FLAGS\n",
        roff(&title.to_lowercase()),
    );
    for flag in flags {
        let (plain, undo) = spellings(flag);
        let value = flag.metavar.map_or(String::new(), |value| format!(" {value}"));
        let _ = writeln!(out, ".TP\n.B {}", roff(&format!("{}{value}", plain.join(", "))));
        let undo = undo.map_or(String::new(), |undo| format!("Undone by {undo}."));
        for text in [flag.help, flag.more, &undo].iter().filter(|text| !text.is_empty()) {
            let _ = writeln!(out, "{}", roff(text));
        }
    }
    out + ".SH EXIT CODE\n0 when something was found, 1 when nothing was, 2 when something failed.\n"
}

fn bash(flags: &[&Flag], manners: Manners) -> String {
    let program = manners.program();
    let guard = match manners {
        Manners::Manicule => format!(
            "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W '{}' -- \"$now\")); return; fi\n",
            command_names()
        ),
        Manners::Ripgrep => String::new(),
    };
    format!(
        "_{program}() {{\n  local now=\"${{COMP_WORDS[COMP_CWORD]}}\"\n{guard}  case \"$now\" in\n    \
         -*) COMPREPLY=($(compgen -W '{}' -- \"$now\")) ;;\n    *) COMPREPLY=() ;;\n  esac\n}}\n\
         complete -F _{program} -o bashdefault -o default {program}\n",
        words(flags).join(" ")
    )
}

fn zsh(flags: &[&Flag], manners: Manners) -> String {
    let program = manners.program();
    let quoted = |text: &str| {
        text.replace('\\', "\\\\")
            .replace('[', "\\[")
            .replace(']', "\\]")
            .replace(':', "\\:")
            .replace('\'', "'\\''")
    };
    let mut out = format!("#compdef {program}\n_arguments -s -S");
    if manners == Manners::Manicule {
        let _ = write!(out, " '1:command:({})'", command_names());
    }
    for flag in flags {
        let (plain, undo) = spellings(flag);
        for name in plain {
            let joint = match flag.metavar {
                Some(_) if name.starts_with("--") => "=",
                Some(_) => "+",
                None => "",
            };
            let value = flag.metavar.map_or(String::new(), |value| format!(":{value}:_files"));
            let _ = write!(out, " \\\n  '*{name}{joint}[{}]{value}'", quoted(flag.help));
        }
        if let Some(undo) = undo {
            let _ = write!(out, " \\\n  '*{undo}[Undo --{}]'", flag.long);
        }
    }
    out + " \\\n  '*:path:_files'\n"
}

fn fish(flags: &[&Flag], manners: Manners) -> String {
    let program = manners.program();
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('\'', "\\'");
    let (mut out, when) = match manners {
        Manners::Ripgrep => (String::new(), ""),
        Manners::Manicule => (
            format!("complete -c manicule -n __fish_use_subcommand -f -a '{}'\n", command_names()),
            " -n '__fish_seen_subcommand_from find'",
        ),
    };
    for flag in flags {
        let letter = flag.short.map_or(String::new(), |letter| format!(" -s {letter}"));
        let longs = [Some(flag.long), flag.alias].into_iter().flatten();
        let longs: String = longs.map(|long| format!(" -l {long}")).collect();
        let value = if flag.metavar.is_some() { " -r" } else { "" };
        let help = quoted(flag.help);
        let _ = writeln!(out, "complete -c {program}{when}{letter}{longs}{value} -d '{help}'");
        if let Some(undo) = flag.negation {
            let _ =
                writeln!(out, "complete -c {program}{when} -l {undo} -d 'Undo --{}'", flag.long);
        }
    }
    out
}

fn power_shell(flags: &[&Flag], manners: Manners) -> String {
    let words: Vec<String> = words(flags).iter().map(|word| format!("'{word}'")).collect();
    format!(
        "Register-ArgumentCompleter -Native -CommandName '{}' -ScriptBlock {{\n  \
         param($now, $line, $at)\n  @({}) | Where-Object {{ $_ -clike \"$now*\" }} | ForEach-Object {{\n    \
         [System.Management.Automation.CompletionResult]::new($_)\n  }}\n}}\n",
        manners.program(),
        words.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPTS: [Script; 5] =
        [Script::Man, Script::Bash, Script::Zsh, Script::Fish, Script::PowerShell];

    #[test]
    fn every_flag_is_in_every_script() {
        for script in SCRIPTS {
            let text = generate(script, Manners::Manicule).replace("\\-", "-").replace("-l ", "--");
            for flag in FLAGS {
                assert!(text.contains(&format!("--{}", flag.long)), "{script:?} {}", flag.long);
            }
        }
    }

    #[test]
    fn called_as_rg_only_ripgreps_flags_are() {
        for script in SCRIPTS {
            assert!(!generate(script, Manners::Ripgrep).contains("budget"), "{script:?}");
        }
    }
}
