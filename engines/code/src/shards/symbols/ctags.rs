//! universal-ctags asked for tags, in its interactive mode: a child process for each thread, which
//! lives as long as the run.
//!
//! A child greets with a line of JSON. A request is a line of JSON and the bytes of a document; the
//! answer is a line of JSON for each tag, and one that says that it is complete.

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use manicule_core::go::json::put_string;
use manicule_store::threads::lock;
use manicule_store::{Conversation, Said};

use super::list::Symbols;
use super::place::Placer;
use super::reply::{Reply, decode};

/// Arguments that zoekt gives, see README.md.
const ARGUMENTS: &str = include_str!("arguments.txt");
/// Bytes of a line of the answer above which it is dropped, as the peer does.
const LINE_MAX: usize = 4096;
/// Bytes of a request's line: ctags reads it into a buffer of 1,024.
const REQUEST_MAX: usize = 1023;
/// Time for a document, and for the greeting.
const TIME: Duration = Duration::from_secs(60);

/// The program universal-ctags, and its children that wait for a document.
#[derive(Debug)]
pub struct Ctags {
    program: PathBuf,
    time: Duration,
    idle: Mutex<Vec<Child>>,
}

/// Error of ctags.
#[derive(Debug)]
pub enum CtagsError {
    /// It can't be started.
    Start {
        /// The program.
        program: PathBuf,
        /// Cause, as the system says it.
        source: io::Error,
    },
    /// It started, and did not greet as one that can be asked for documents.
    NotInteractive {
        /// The program.
        program: PathBuf,
        /// What happened.
        why: String,
    },
    /// It failed on a document.
    Document {
        /// The program.
        program: PathBuf,
        /// Name of the document.
        name: String,
        /// What happened.
        why: String,
    },
}

impl fmt::Display for CtagsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CtagsError::Start { program, source } => {
                write!(f, "can't start {}: {source}", program.display())?;
            }
            CtagsError::NotInteractive { program, why } => write!(
                f,
                "{} is no universal-ctags that can be asked for documents: {why}",
                program.display()
            )?,
            CtagsError::Document { program, name, why } => {
                write!(f, "{} failed on {name}: {why}", program.display())?;
            }
        }
        f.write_str(
            "; name another program with --ctags PATH, or leave symbols out with --ctags off",
        )
    }
}

impl std::error::Error for CtagsError {}

impl Ctags {
    /// Starts a child, so that a program that is none is told at once.
    pub fn open(program: &Path) -> Result<Ctags, CtagsError> {
        let ctags = Ctags { program: program.to_owned(), time: TIME, idle: Mutex::default() };
        let child = ctags.start()?;
        lock(&ctags.idle).push(child);
        Ok(ctags)
    }

    fn start(&self) -> Result<Child, CtagsError> {
        let arguments = ARGUMENTS.lines().filter(|line| !line.starts_with('#')).map(OsStr::new);
        let mut command = Command::new(&self.program);
        let conversation = Conversation::start(command.args(arguments), LINE_MAX);
        let conversation = conversation
            .map_err(|source| CtagsError::Start { program: self.program.clone(), source })?;
        let mut child = Child(conversation);
        child.hear_greeting(self.time).map_err(|why| {
            let program = self.program.clone();
            CtagsError::NotInteractive { program, why }
        })?;
        Ok(child)
    }
}

/// Whether a document is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::shards) enum Posted {
    /// Its symbols are heard after those of the documents before it.
    Yes,
    /// It has none: it is empty, no UTF-8, or has a long name.
    No,
}

/// One who asks for the symbols of documents, several ahead of those that were heard: a child of
/// ctags.
#[derive(Debug)]
pub(in crate::shards) struct Asker<'c> {
    ctags: &'c Ctags,
    /// None before the first document, and after one that it failed on.
    child: Option<Child>,
    /// Number of documents that are posted and not heard.
    waiting: usize,
    /// Why a document could not be posted.
    broken: Option<String>,
}

impl<'c> Asker<'c> {
    pub(in crate::shards) fn new(ctags: &'c Ctags) -> Self {
        Asker { ctags, child: None, waiting: 0, broken: None }
    }

    /// Posts a document.
    pub(in crate::shards) fn post(
        &mut self,
        name: &[u8],
        content: &[u8],
    ) -> Result<Posted, CtagsError> {
        if content.is_empty() || str::from_utf8(content).is_err() {
            return Ok(Posted::No);
        }
        let request = request(name, content.len());
        if request.len() > REQUEST_MAX {
            return Ok(Posted::No);
        }
        let idle = || lock(&self.ctags.idle).pop();
        let child = match self.child.take().or_else(idle) {
            Some(child) => self.child.insert(child),
            None => self.child.insert(self.ctags.start()?),
        };
        // What is wrong with the child is heard in place of its next answer.
        if let Err(error) = child.0.post(&[&request, content]) {
            self.broken.get_or_insert(error.to_string());
        }
        self.waiting += 1;
        Ok(Posted::Yes)
    }

    /// The symbols of the document that was posted longest ago. After an error those that were
    /// posted after it have to be posted again.
    pub(in crate::shards) fn hear(
        &mut self,
        name: &[u8],
        content: &[u8],
    ) -> Result<Symbols, CtagsError> {
        let child = self.child.as_mut().expect("a document was posted to it");
        let heard = match self.broken.take() {
            Some(why) => Err(why),
            None => child.symbols(content, self.ctags.time),
        };
        self.waiting -= 1;
        heard.map_err(|why| {
            // A child that has failed is dropped, which kills it.
            (self.child, self.waiting) = (None, 0);
            let name = String::from_utf8_lossy(name).into_owned();
            CtagsError::Document { program: self.ctags.program.clone(), name, why }
        })
    }
}

impl Drop for Asker<'_> {
    fn drop(&mut self) {
        // One that still has something to say can't be asked by others.
        if let Some(child) = self.child.take().filter(|_| self.waiting == 0) {
            lock(&self.ctags.idle).push(child);
        }
    }
}

/// A request for the tags of a document, which follows it.
fn request(name: &[u8], len: usize) -> Vec<u8> {
    let base = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let mut line = br#"{"command":"generate-tags","filename":"#.to_vec();
    put_string(base, &mut line);
    line.extend_from_slice(format!(",\"size\":{len}}}\n").as_bytes());
    line
}

/// A child of ctags.
struct Child(Conversation);

impl fmt::Debug for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Child")
    }
}

impl Child {
    fn hear_greeting(&mut self, time: Duration) -> Result<(), String> {
        self.hear(time, &mut |line| match decode(line) {
            Ok(Reply::Nothing) => Ok(Said::More),
            Ok(Reply::Greeting) => Ok(Said::All),
            // Some releases greet with this.
            _ if line == b"(null)" => Ok(Said::All),
            Ok(_) => Err("it did not greet".to_owned()),
            Err(why) => Err(why),
        })
    }

    /// Hears the symbols of the document that was posted longest ago, which has this content.
    fn symbols(&mut self, content: &[u8], time: Duration) -> Result<Symbols, String> {
        let mut placer = Placer::new(content);
        self.hear(time, &mut |line| match decode(line)? {
            Reply::Nothing => Ok(Said::More),
            Reply::Tag(tag) => {
                placer.add(&tag);
                Ok(Said::More)
            }
            Reply::Complete => Ok(Said::All),
            Reply::Greeting => Err("it greeted in the middle of an answer".to_owned()),
        })?;
        Ok(placer.finish())
    }

    /// Hears an answer, up to a line of which `hear` says that it is wrong.
    fn hear(
        &mut self,
        time: Duration,
        hear: &mut dyn FnMut(&[u8]) -> Result<Said, String>,
    ) -> Result<(), String> {
        let mut fault = None;
        let heard = self.0.hear(time, &mut |line| {
            hear(line).unwrap_or_else(|why| {
                fault = Some(why);
                Said::All
            })
        });
        heard.map_err(|error| error.to_string())?;
        fault.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const GREETING: &str = r#"echo '{"_type":"program","name":"x"}'"#;

    /// A program of a few lines of shell in place of ctags.
    fn program(folder: &Path, lines: &[&str]) -> PathBuf {
        let path = folder.join("ctags");
        fs::write(&path, format!("#!/bin/sh\n{}\n", lines.join("\n"))).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// A program that is open, and the folder that it lies in.
    struct Opened {
        ctags: Ctags,
        _folder: tempfile::TempDir,
    }

    fn opened(lines: &[&str]) -> Result<Opened, String> {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path(), lines);
        loop {
            match Ctags::open(&program) {
                Ok(ctags) => return Ok(Opened { ctags, _folder: folder }),
                // Another test's child has the file open, from its start to its exec.
                Err(CtagsError::Start { source, .. })
                    if source.kind() == io::ErrorKind::ExecutableFileBusy => {}
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    /// The symbols of one document.
    fn symbols(ctags: &Ctags, name: &[u8], content: &[u8]) -> Result<Symbols, CtagsError> {
        let mut asker = Asker::new(ctags);
        match asker.post(name, content)? {
            Posted::Yes => asker.hear(name, content),
            Posted::No => Ok(Symbols::default()),
        }
    }

    #[test]
    fn several_documents_are_posted_before_the_first_is_heard() {
        let answer = r#"read request; read text; echo '{"_type":"tag","name":"'$text'","line":1}'; echo '{"_type":"completed"}'"#;
        let Opened { ctags, .. } = &opened(&[GREETING, answer, answer, answer]).unwrap();
        let mut asker = Asker::new(ctags);
        let texts = [&b"one\n"[..], b"", b"three\n", b"four\n"];
        let posted = texts.map(|text| asker.post(b"a", text).unwrap());
        assert_eq!(posted, [Posted::Yes, Posted::No, Posted::Yes, Posted::Yes]);
        for text in texts.into_iter().filter(|text| !text.is_empty()) {
            let symbols = asker.hear(b"a", text).unwrap();
            assert_eq!(symbols.list[0].end as usize, text.len() - 1);
        }
        assert_eq!(asker.waiting, 0);
    }

    #[test]
    fn a_request_is_a_line_with_the_last_name() {
        let line = request(b"a/b/\"c\xff<.go", 17);
        let want =
            "{\"command\":\"generate-tags\",\"filename\":\"\\\"c\\ufffd\\u003c.go\",\"size\":17}\n";
        assert_eq!(String::from_utf8(line).unwrap(), want);
    }

    #[test]
    fn tags_are_read_and_warnings_are_not() {
        let answer = [
            r#"{"_type":"error","message":"mind the gap"}"#,
            r#"{"_type":"tag","name":"lamp","line":1,"kind":"func","scope":"a","scopeKind":"b","x":[1]}"#,
            "",
            r#"{"_type":"completed","command":"generate-tags"}"#,
        ];
        let said =
            format!("read request; head -c 9 >/dev/null; printf '%s\\n' '{}'", answer.join("' '"));
        let Opened { ctags, .. } = &opened(&[GREETING, &said, &said]).unwrap();
        for _ in 0..2 {
            let symbols = symbols(ctags, b"a.go", b"func lamp").unwrap();
            assert_eq!((symbols.list[0].start, symbols.list[0].end), (5, 9));
            let words: Vec<_> =
                symbols.words.iter().map(|word| word.escape_ascii().to_string()).collect();
            assert_eq!(words, ["func", "a", "b"]);
        }
    }

    #[test]
    fn what_is_no_interactive_ctags_is_told_at_once() {
        for (lines, want) in [
            (&["echo Exuberant Ctags"][..], "it said \"Exuberant Ctags\""),
            (
                &["echo no option _interactive >&2; exit 1"],
                "it ended (exit status: 1): no option _interactive",
            ),
            (&[r#"echo '{"_type":"error","message":"no memory","fatal":true}'"#], "no memory"),
            (&[r#"echo '{"_type":"completed"}'"#], "it did not greet"),
        ] {
            let error = opened(lines).err().expect(want);
            let why = error.split_once("can be asked for documents: ").expect(&error).1;
            assert!(why.starts_with(&format!("{want}; name another program")), "{why}");
        }
        assert!(opened(&["echo '(null)'"]).is_ok());
        let none = Ctags::open(Path::new("/nonexistent/ctags")).unwrap_err().to_string();
        assert!(none.starts_with("can't start /nonexistent/ctags: No such file"), "{none}");
    }

    #[test]
    fn a_child_that_dies_on_a_document_is_followed_by_another() {
        let once = "read request; if echo $request | grep -q bad; then echo bang >&2; exit 9; fi";
        let Opened { ctags, .. } =
            &opened(&[GREETING, once, r#"echo '{"_type":"completed"}'"#]).unwrap();
        let error = symbols(ctags, b"x/bad.go", b"text").unwrap_err().to_string();
        assert!(error.contains("failed on x/bad.go: it ended (exit status: 9): bang"), "{error}");
        assert_eq!(symbols(ctags, b"good.go", b"text").unwrap(), Symbols::default());
        for line in ["(null)", r#"{"_type":"what"}"#, "{", r#"{"_type":"program"}"#] {
            let Opened { ctags, .. } =
                &opened(&[GREETING, &format!("read r; echo '{line}'; cat")]).unwrap();
            assert!(symbols(ctags, b"a", b"text").is_err(), "{line}");
        }
    }

    #[test]
    fn a_child_that_is_late_is_given_up() {
        let mut opened = opened(&[GREETING, "exec sleep 1000"]).unwrap();
        opened.ctags.time = Duration::from_millis(20);
        let error = symbols(&opened.ctags, b"a.go", b"text").unwrap_err().to_string();
        assert!(error.contains("failed on a.go: it did not answer in time"), "{error}");
    }

    #[test]
    fn documents_that_are_not_asked_for_start_nothing() {
        let Opened { ctags, .. } = &opened(&[GREETING, "exit 1"]).unwrap();
        let long = [b'a'; 1000];
        for (name, content) in [(&b"a"[..], &b""[..]), (b"a", b"\xff"), (&long, b"text")] {
            assert_eq!(symbols(ctags, name, content).unwrap(), Symbols::default());
        }
    }
}
