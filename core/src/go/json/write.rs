//! JSON as Go's encoder writes it: without blanks, with its escapes and its numbers.

/// A JSON text that is appended to, value by value. What is open is the caller's to close.
///
/// ```
/// use manicule_core::go::json::JsonWriter;
///
/// let mut out = JsonWriter::default();
/// out.object(|out| {
///     out.text("Name", "a<b");
///     out.float("Score", 501.0);
///     out.key("Branches");
///     out.list(["main", "dev"], |out, branch| out.string(branch));
/// });
/// let want = r#"{"Name":"a\u003cb","Score":501,"Branches":["main","dev"]}"#;
/// assert_eq!(out.bytes(), want.as_bytes());
/// ```
#[derive(Clone, Debug, Default)]
pub struct JsonWriter {
    bytes: Vec<u8>,
    /// A value precedes in the open list or object.
    follows: bool,
}

impl JsonWriter {
    /// What was written since the last [`JsonWriter::clear`].
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All that was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Forgets what was written, and goes on after it: for texts that are handed on in parts.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Opens an object, as the next value.
    pub fn open_object(&mut self) {
        self.begin(b"{");
    }

    /// Closes it.
    pub fn close_object(&mut self) {
        self.finish(b"}");
    }

    /// Opens a list, as the next value.
    pub fn open_list(&mut self) {
        self.begin(b"[");
    }

    /// Closes it.
    pub fn close_list(&mut self) {
        self.finish(b"]");
    }

    fn begin(&mut self, mark: &[u8]) {
        self.bytes.extend_from_slice(mark);
        self.follows = false;
    }

    fn finish(&mut self, mark: &[u8]) {
        self.bytes.extend_from_slice(mark);
        self.follows = true;
    }

    /// An object, as the next value.
    pub fn object(&mut self, fields: impl FnOnce(&mut Self)) {
        self.open_object();
        fields(self);
        self.close_object();
    }

    /// A list, as the next value; `write` writes each.
    pub fn list<I: IntoIterator>(&mut self, items: I, mut write: impl FnMut(&mut Self, I::Item)) {
        self.open_list();
        for item in items {
            self.next();
            write(self, item);
        }
        self.close_list();
    }

    /// Begins the next element of an open list: its value is to be written next.
    pub fn next(&mut self) {
        if self.follows {
            self.bytes.push(b',');
        }
    }

    /// Begins the next field of an open object: its value is to be written next.
    pub fn key(&mut self, name: impl AsRef<[u8]>) {
        self.next();
        put_string(name, &mut self.bytes);
        self.bytes.push(b':');
    }

    /// A string, as the next value.
    pub fn string(&mut self, text: impl AsRef<[u8]>) {
        put_string(text, &mut self.bytes);
        self.follows = true;
    }

    /// A value that is JSON already.
    pub fn raw(&mut self, json: impl AsRef<[u8]>) {
        self.finish(json.as_ref());
    }

    /// A field of `null`.
    pub fn null(&mut self, name: &str) {
        self.key(name);
        self.raw("null");
    }

    /// A field that is an integer.
    pub fn number(&mut self, name: &str, number: impl Into<i64>) {
        self.key(name);
        self.raw(number.into().to_string());
    }

    /// A field that is a number, which is finite.
    pub fn float(&mut self, name: &str, number: f64) {
        self.key(name);
        self.raw(float(number));
    }

    /// A field that is true or false.
    pub fn word(&mut self, name: &str, word: bool) {
        self.key(name);
        self.raw(if word { "true" } else { "false" });
    }

    /// A field that is a string.
    pub fn text(&mut self, name: &str, text: impl AsRef<[u8]>) {
        self.key(name);
        self.string(text);
    }
}

/// A number with as few digits as tell it from all others: with an exponent below a millionth, and
/// from 10 to the 21st on.
fn float(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-6..1e21).contains(&size) {
        return number.to_string();
    }
    let text = format!("{number:e}");
    if size < 1.0 { text } else { text.replace('e', "e+") }
}

/// Appends a string in its quotes. `<`, `>`, `&` and the line separators of Unicode are escaped
/// too, and each byte that isn't UTF-8 becomes the six characters `\ufffd`.
pub fn put_string(bytes: impl AsRef<[u8]>, out: &mut Vec<u8>) {
    out.push(b'"');
    for chunk in bytes.as_ref().utf8_chunks() {
        put_text(chunk.valid(), out);
        chunk.invalid().iter().for_each(|_| out.extend_from_slice(b"\\ufffd"));
    }
    out.push(b'"');
}

/// Appends a text: what needs no escape as it is, at once.
fn put_text(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for (at, byte) in bytes.iter().enumerate() {
        // E2 is the first byte of both line separators.
        let may_need_one = matches!(byte, 0..=0x1f | b'"' | b'&' | b'<' | b'>' | b'\\' | 0xe2);
        if may_need_one && let Some(char) = text[at..].chars().next() {
            out.extend_from_slice(&bytes[done..at]);
            put_char(char, out);
            done = at + char.len_utf8();
        }
    }
    out.extend_from_slice(&bytes[done..]);
}

fn put_char(char: char, out: &mut Vec<u8>) {
    let short: &[u8] = match char {
        '"' => b"\\\"",
        '\\' => b"\\\\",
        '\x08' => b"\\b",
        '\x0c' => b"\\f",
        '\n' => b"\\n",
        '\r' => b"\\r",
        '\t' => b"\\t",
        '\0'..='\x1f' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
            return out.extend_from_slice(format!("\\u{:04x}", u32::from(char)).as_bytes());
        }
        _ => return out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
    };
    out.extend_from_slice(short);
}
