//! `manicule find`: ripgrep's command line. What is found is the façade's (`manicule::find`); here
//! it is printed, through ripgrep's own libraries.

mod call;
mod command;
mod face;
mod files;
mod lines;
mod matcher;
mod output;
mod page;
mod patterns;
mod printer;
mod receipt;
mod rows;
mod special;
mod stats;
mod tally;
mod uses;
mod worker;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use manicule::cache::{Cache, look_after};
use manicule::code::tree::Upkeep;
use manicule::find::{Done, Opened, Visitor};

use crate::below::PassedBy;
use crate::command::{exit, order};
use crate::flags::{self, Logging, Mode, OPERANDS, Options, Scripts};
use crate::messages::{InvokedAs, Messages, log_up_to, say};
use crate::own::own;
use crate::print::{self, Print, Reader};
use call::Call;
pub(crate) use command::{Find, command};
use face::Printing;
use files::Lister;
use output::{Capped, Direct, Out, Page};
use tally::Tally;
use worker::Worker;

/// Answers a command line: 0 when something was found, 1 when nothing was, 2 when something failed.
pub(crate) fn run(words: &[OsString], invoked_as: InvokedAs, scripts: Scripts) -> ExitCode {
    let mut upkeep = Vec::new();
    let code = print::command(Reader::Needed, |print| {
        let answered = answer(words, invoked_as, scripts, &mut upkeep, print);
        if invoked_as == InvokedAs::Manicule && matches!(answered, Ok(exit::FAILED)) {
            // ripgrep's words are printed; this is ours.
            hint(words).iter().for_each(|hint| say(hint));
        }
        answered
    });
    // The answer is out; processes that maintain an index are not waited for, and may fail.
    if let (false, Some(program)) = (upkeep.is_empty(), own()) {
        upkeep.iter().for_each(|upkeep| drop(look_after(&program, upkeep)));
    }
    code
}

/// TEXT and PATH in each other's places.
fn hint(words: &[OsString]) -> Option<String> {
    let options = flags::parse(words.iter().cloned(), InvokedAs::Manicule).ok()?;
    let takes_text = options.patterns.is_empty() && matches!(options.mode, Mode::Search(_));
    // One word may be a text that is also the name of a file.
    let is_pair = takes_text && options.positional.len() > 1;
    is_pair.then(|| order::hint("find", OPERANDS, &options.positional)).flatten()
}

fn answer(
    words: &[OsString],
    invoked_as: InvokedAs,
    scripts: Scripts,
    upkeep: &mut Vec<Upkeep>,
    print: &mut Print,
) -> Result<u8> {
    let options = flags::parse(words.iter().cloned(), invoked_as)?;
    set_logging(&options);
    if let Some(special) = options.special {
        return special::print(special, invoked_as, print);
    }
    let options = flags::with_config(words, options, invoked_as)?;
    set_logging(&options);
    if let Some(special) = options.special {
        return special::print(special, invoked_as, print);
    }
    let messages = Messages::new(!options.no_messages, !options.no_ignore_messages);
    let mut call = Call::new(options, invoked_as)?;
    let found = match call.mode {
        Mode::Types => return special::print_types(&call, print),
        Mode::Generate(script) => {
            writeln!(print, "{}", scripts(script, invoked_as).trim_end())?;
            return Ok(exit::DONE);
        }
        Mode::Search(_) if !call.search.match_possible() => false,
        Mode::Search(_) => {
            call.compile()?;
            search(&call, &messages, upkeep, print)?
        }
        Mode::Files => list(&call, &messages, upkeep, print)?,
    };
    Ok(match (found, messages.failed()) {
        (true, failed) if call.options.quiet || !failed => exit::DONE,
        (_, true) => exit::FAILED,
        (_, false) => exit::NOTHING,
    })
}

fn set_logging(options: &Options) {
    match options.logging {
        Some(Logging::Debug) => log_up_to(log::LevelFilter::Debug),
        Some(Logging::Trace) => log_up_to(log::LevelFilter::Trace),
        None => log_up_to(log::LevelFilter::Warn),
    }
}

/// Searches the files, and prints the results. Returns whether there were any.
fn search(
    call: &Call,
    messages: &Messages,
    upkeep: &mut Vec<Upkeep>,
    print: &mut Print,
) -> Result<bool> {
    let started = Instant::now();
    let pre = call.options.pre.as_ref().map(grep_cli::resolve_binary).transpose()?;
    let out = Out::new(call);
    let tally = Tally::new(messages, &out);
    let pre = pre.as_deref();
    let visitor = || -> Box<dyn Visitor + '_> {
        let page: Box<dyn Page> = match call.options.budget {
            Some(max) => Box::new(Capped::new(out.buffer(), max)),
            None if call.is_direct() => Box::new(Direct::new(call)),
            None => Box::new(out.buffer()),
        };
        Box::new(Worker::new(call, &tally, pre, page))
    };
    let printing = Printing::new(call, &tally, &visitor);
    let opened = call.search.open(&printing)?;
    let done = printing.visit(&opened)?;
    if call.implicit_path && !tally.visited() && !is_explained(call, &opened, messages) {
        messages.failure(&format_args!(
            "No files were searched, which means {} probably applied a filter you didn't expect.\n\
             Running with --debug will show why files are being skipped.",
            call.invoked_as.product(),
        ));
    }
    let mut done = tell_passed(call, &tally, done);
    upkeep.append(&mut done.upkeep);
    if has_left(tally.lost().and_then(|()| out.flush()), print)? {
        // ripgrep reports that nothing was found if a file that is searched alone had more to
        // print.
        return Ok(tally.matched() || call.invoked_as == InvokedAs::Manicule);
    }
    if call.stats {
        let printed = stats::print(call, &tally.stats(), started.elapsed(), &out);
        has_left(printed, print)?;
    }
    tell(call, &out, done, print)?;
    Ok(tally.matched())
}

/// Whether there is another reason why no file was searched: an index has excluded all, or
/// something failed. ripgrep doesn't ask for one.
fn is_explained(call: &Call, opened: &Opened<'_>, messages: &Messages) -> bool {
    call.invoked_as == InvokedAs::Manicule && (opened.explains_none() || messages.failed())
}

/// Reports the indexes that a walk has passed, and what to type: once to a user, and again wherever
/// nothing is found, as that is then no answer about them.
///
/// Not where `-g` or `-t` leave them out, nor, if something is found, to a program that reads JSON.
fn tell_passed(call: &Call, tally: &Tally<'_>, mut done: Done) -> Done {
    let is_json = matches!(call.mode, Mode::Search(flags::Find::Json));
    done.noticed.retain(|path| call.search.lets_in(path));
    let Some(passed) = PassedBy::of(&done.noticed) else { return done };
    done.receipt.push(("indexes_passed", passed.folder_count));
    let is_news = || {
        Cache::of_user().is_none_or(|cache| {
            cache.tells_once(&passed.sentence("TEXT"), &call.search.rules.current_dir)
        })
    };
    let is_told = !tally.matched() || !is_json && is_news();
    if tally.messages.shows() && !call.options.quiet && is_told {
        let text = match &call.search.patterns.texts[..] {
            [pattern] => pattern,
            _ => "TEXT",
        };
        say(&passed.sentence(text));
    }
    done
}

/// Prints the paths of the files. Returns whether there were any.
fn list(
    call: &Call,
    messages: &Messages,
    upkeep: &mut Vec<Upkeep>,
    print: &mut Print,
) -> Result<bool> {
    let out = Out::new(call);
    let tally = Tally::new(messages, &out);
    let visitor = || -> Box<dyn Visitor + '_> { Box::new(Lister::new(call, &tally)) };
    let printing = Printing::new(call, &tally, &visitor);
    let mut done = printing.visit(&call.search.open(&printing)?)?;
    upkeep.append(&mut done.upkeep);
    if has_left(tally.lost().and_then(|()| out.flush()), print)? {
        return Ok(true);
    }
    tell(call, &out, done, print)?;
    Ok(tally.visited())
}

/// Whether the reader has closed the pipe, having read enough. Any other failure ends the call.
fn has_left(written: io::Result<()>, print: &mut Print) -> io::Result<bool> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(true),
        Err(error) => print.lost(error).map(|()| false),
        Ok(()) => Ok(false),
    }
}

/// Output of Manicule beyond ripgrep's: what the budget cut, then the call's cost.
fn tell(call: &Call, out: &Out, done: Done, print: &mut Print) -> Result<()> {
    let budget = out.budget();
    if let Some(budget) = &budget {
        let printed = receipt::print_budget(call, budget, print);
        has_left(printed, print)?;
    }
    if call.options.receipt {
        let printed = receipt::print(call, done.receipt, budget.as_ref(), print);
        has_left(printed, print)?;
    }
    Ok(())
}
