//! The one line of progress: how far a long call is, how fast, and how long it will take, on
//! standard error where that is a terminal. It is there from the start and gone at the end, and
//! signals end the call once it has tidied up.

use std::fmt::{self, Write};
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use manicule::watch::{Phase, Progress, Unit, Watch};

use crate::print::Form;
use crate::signals::Interrupts;
use crate::units::human_len;

/// Whether a call shows its progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Show {
    /// Where standard error is a terminal.
    Progress,
    /// Never, as `--quiet` asks.
    Nothing,
}

impl Show {
    /// As the form of a command's answer has it.
    pub(crate) fn of(form: Form) -> Show {
        if form == Form::Nothing { Show::Nothing } else { Show::Progress }
    }
}

/// What SIGINT and SIGTERM do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signals {
    /// They end the call, which tidies up, and then the program.
    Noted,
    /// They end the program at once: a call that waits for a pipe can't look up.
    Plain,
}

/// How often the line is drawn where nothing is reported.
const TICK: Duration = Duration::from_millis(100);

/// Runs a long call under a watch.
pub(crate) fn watched<T, E>(
    show: Show,
    signals: Signals,
    call: impl FnOnce(&Watch<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let watched = Watched::new(show, signals);
    let result = call(&Watch::new(&|at| watched.line.show(at), &|| watched.is_over()));
    watched.end(result.is_ok());
    result
}

/// A call under a watch, without the type of its result: compiled once, not once for each call as
/// [`watched`] is.
struct Watched {
    line: Line,
    interrupts: Option<&'static Interrupts>,
}

impl Watched {
    fn new(show: Show, signals: Signals) -> Watched {
        let interrupts = (signals == Signals::Noted).then(Interrupts::noted).flatten();
        Watched { line: Line::of(show), interrupts }
    }

    /// Whether the call shall end, for a signal came.
    fn is_over(&self) -> bool {
        self.interrupts.is_some_and(Interrupts::came)
    }

    /// Takes the line away, and does what a signal asked for if the call ended by it.
    fn end(&self, is_done: bool) {
        self.line.clear();
        if let (false, Some(interrupts)) = (is_done, self.interrupts) {
            // What was begun is removed by now.
            interrupts.obey();
        }
    }
}

/// The line, and the phase that it shows.
pub(crate) struct Line {
    bar: ProgressBar,
    phase: Mutex<Option<Phase>>,
}

impl Line {
    /// A line as a call shows it.
    pub(crate) fn of(show: Show) -> Line {
        Line::new(match show {
            Show::Progress => ProgressDrawTarget::stderr(),
            Show::Nothing => ProgressDrawTarget::hidden(),
        })
    }

    /// Nothing is drawn before the first report.
    fn new(target: ProgressDrawTarget) -> Line {
        Line { bar: ProgressBar::with_draw_target(None, target), phase: Mutex::new(None) }
    }

    /// Shows progress.
    pub(crate) fn show(&self, at: Progress) {
        if self.bar.is_hidden() {
            return;
        }
        let mut phase = self.phase.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if at.done == 0 || *phase != Some(at.phase) {
            *phase = Some(at.phase);
            self.begin(at);
        }
        self.bar.set_position(at.done);
    }

    /// Rates and times are those of the phase.
    fn begin(&self, at: Progress) {
        // The style first: it alone is not drawn at once.
        self.bar.set_style(style(at.unit, at.all.is_some()));
        self.bar.set_message(at.phase.word());
        match at.all {
            Some(all) => self.bar.set_length(all),
            None => self.bar.unset_length(),
        }
        self.bar.reset();
        self.bar.enable_steady_tick(TICK);
    }

    /// Takes the line away; the next report shows it again.
    pub(crate) fn clear(&self) {
        self.bar.disable_steady_tick();
        self.bar.finish_and_clear();
    }
}

fn style(unit: Unit, has_end: bool) -> ProgressStyle {
    let template = if has_end { "{msg} {wide_bar} {so_far}" } else { "{msg} {spinner} {so_far}" };
    let style = ProgressStyle::with_template(template).expect("a template of its own");
    style.with_key("so_far", move |state: &ProgressState, out: &mut dyn Write| {
        let (done, all, rate) = (state.pos(), state.len(), state.per_sec());
        // A terminal that is gone is found out elsewhere.
        let _ = so_far(out, unit, done, all, rate, state.eta());
    })
}

/// How far it is, in the units of the summaries. What is left is unknown before something is done.
fn so_far(
    out: &mut dyn Write,
    unit: Unit,
    done: u64,
    all: Option<u64>,
    rate: f64,
    left: Duration,
) -> fmt::Result {
    let count = |count: u64| match unit {
        Unit::Bytes => human_len(count),
        _ => count.to_string(),
    };
    out.write_str(&count(done))?;
    if let Some(all) = all {
        write!(out, " of {}", count(all))?;
    }
    match unit {
        Unit::Bytes => {}
        Unit::Files => out.write_str(" files")?,
        Unit::Grams => out.write_str(" grams")?,
        Unit::Series => out.write_str(" series")?,
        Unit::Samples => out.write_str(" samples")?,
        Unit::Trees => out.write_str(" trees")?,
        Unit::Partitions => out.write_str(" partitions")?,
        Unit::Terms => out.write_str(" terms")?,
        Unit::Rows => out.write_str(" rows")?,
    }
    if done > 0 && rate.is_finite() && rate >= 1.0 {
        write!(out, ", {}/s", count(rate as u64))?;
    }
    match all {
        Some(all) if done > 0 && done < all && left > Duration::ZERO => {
            write!(out, ", {} s left", left.as_secs_f64().ceil())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::TermLike;
    use std::io;
    use std::sync::Arc;

    #[test]
    fn progress_is_in_the_units_of_the_summaries() {
        let shown = |unit, done, all, rate, left_ms| {
            let mut out = String::new();
            so_far(&mut out, unit, done, all, rate, Duration::from_millis(left_ms)).unwrap();
            out
        };
        let (all, mb) = (Some(2_000_000), 1_000_000);
        assert_eq!(shown(Unit::Bytes, 0, all, 0.0, 0), "0 B of 2.0 MB");
        assert_eq!(
            shown(Unit::Bytes, mb, all, 5e5, 1200),
            "1.0 MB of 2.0 MB, 500.0 KB/s, 2 s left"
        );
        assert_eq!(shown(Unit::Bytes, 2 * mb, all, 5e5, 0), "2.0 MB of 2.0 MB, 500.0 KB/s");
        assert_eq!(shown(Unit::Bytes, mb, None, 5e5, 0), "1.0 MB, 500.0 KB/s");
        assert_eq!(shown(Unit::Series, 10, Some(40), 5.4, 6000), "10 of 40 series, 5/s, 6 s left");
    }

    /// A terminal of one line.
    #[derive(Clone, Debug, Default)]
    struct Terminal(Arc<Mutex<String>>);

    impl Terminal {
        fn contents(&self) -> String {
            self.0.lock().unwrap().trim_end().to_owned()
        }
    }

    impl TermLike for Terminal {
        fn width(&self) -> u16 {
            80
        }

        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }

        fn clear_line(&self) -> io::Result<()> {
            self.0.lock().unwrap().clear();
            Ok(())
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A line on a terminal that a test can read.
    fn line() -> (Line, Terminal) {
        let terminal = Terminal::default();
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(terminal.clone()), 255);
        (Line::new(target), terminal)
    }

    #[test]
    fn the_line_is_there_from_the_start_follows_the_phases_and_goes() {
        let (line, terminal) = line();
        assert_eq!(terminal.contents(), "");
        for (phase, unit, all) in [
            (Phase::Reading, Unit::Series, Some(4)),
            (Phase::Writing, Unit::Bytes, None),
            (Phase::Writing, Unit::Bytes, None),
        ] {
            line.show(Progress { phase, unit, done: 0, all });
            let shown = terminal.contents();
            assert!(shown.starts_with(phase.word()), "{shown}");
            assert_eq!(shown.contains("0 of 4 series"), all.is_some(), "{shown}");
            line.show(Progress { phase, unit, done: 3, all });
            assert_eq!((line.bar.position(), line.bar.length()), (3, all));
        }
        line.clear();
        assert_eq!(terminal.contents(), "");
    }

    #[test]
    fn quiet_shows_nothing() {
        let line = Line::new(ProgressDrawTarget::hidden());
        line.show(Progress { phase: Phase::Reading, unit: Unit::Bytes, done: 0, all: None });
        assert!(line.phase.into_inner().unwrap().is_none());
    }
}
