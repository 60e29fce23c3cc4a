//! Examples in the documents of formats: a fence of text after a mark, kept true by tests.

/// The page with `text` in the fence after the example's mark, and the old text there.
///
/// # Panics
/// If the page has no such mark, or its fence doesn't end.
pub fn with_example(page: &str, name: &str, text: &str) -> (String, String) {
    let mark = format!("<!-- example: {name} -->\n```text\n");
    let start = page.find(&mark).expect("the page has a mark for the example") + mark.len();
    let end = start + page[start..].find("```\n").expect("the fence ends");
    (format!("{}{text}{}", &page[..start], &page[end..]), page[start..end].to_owned())
}
