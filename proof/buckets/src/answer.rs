//! An answer of HTTP/1.1.

use std::io::{self, Write};

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    /// Length of the body that the client is told, where it is another.
    pub(crate) told_len: Option<usize>,
}

impl Answer {
    pub(crate) fn of(status: u16) -> Self {
        Answer { status, headers: Vec::new(), body: Vec::new(), told_len: None }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn xml(status: u16, body: &str) -> Self {
        let body = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{body}").into_bytes();
        Answer { body, ..Answer::of(status) }.with("content-type", "application/xml")
    }

    /// An error, as S3 words it.
    pub(crate) fn error(status: u16, code: &str, message: &str) -> Self {
        let message = escaped(message);
        let body = format!("<Error><Code>{code}</Code><Message>{message}</Message></Error>");
        Answer::xml(status, &body)
    }

    /// Sends it; of a HEAD without its body.
    pub(crate) fn write(&self, to: &mut impl Write, is_head: bool) -> io::Result<()> {
        let len = self.told_len.unwrap_or(self.body.len());
        let mut head = format!("HTTP/1.1 {} Said\r\ncontent-length: {len}\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        to.write_all(head.as_bytes())?;
        if !is_head {
            to.write_all(&self.body)?;
        }
        to.flush()
    }
}

/// Text as XML has it.
pub(crate) fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&apos;")
}
