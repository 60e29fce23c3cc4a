//! Answers of two programs, made comparable.

/// The lines of an answer in the order of their bytes: several threads give them in any order.
pub fn sorted(bytes: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    lines.sort();
    lines.join(&b'\n')
}

/// An answer without the times that no two calls share: those of `--stats` and of `--json`.
pub fn without_times(bytes: &[u8]) -> Vec<u8> {
    let lines = bytes.split(|byte| *byte == b'\n').map(|line| {
        if line.ends_with(b" seconds spent searching") || line.ends_with(b" seconds total") {
            return Vec::new();
        }
        without_elapsed(line)
    });
    lines.collect::<Vec<_>>().join(&b'\n')
}

/// A line of JSON without its `"elapsed":{...}` and `"elapsed_total":{...}`.
fn without_elapsed(line: &[u8]) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(line) else { return line.to_vec() };
    let mut text = text.to_owned();
    for name in ["\"elapsed\":{", "\"elapsed_total\":{"] {
        while let Some(from) = text.find(name) {
            let Some(len) = text[from..].find('}') else { break };
            text.replace_range(from..=from + len, "");
        }
    }
    text.into_bytes()
}
