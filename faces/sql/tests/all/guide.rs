//! What docs/guide/ask-in-sql.md shows is what the program prints.

use crate::yard::answer;

const GUIDE: &str = include_str!("../../../../docs/guide/ask-in-sql.md");

#[test]
fn the_guide_shows_what_is_printed() {
    let examples: Vec<&str> = GUIDE.split("<!-- example -->").skip(1).collect();
    assert_eq!(examples.len(), 5);
    for example in examples {
        let block = |kind: &str| {
            let (_, rest) = example.split_once(&format!("```{kind}\n")).expect(example);
            rest.split_once("```").expect(example).0
        };
        let (_, query) = block("sh").split_once('"').expect(example);
        let (query, _) = query.rsplit_once('"').expect(example);
        assert_eq!(String::from_utf8_lossy(&answer(&[query])), block("text"), "{query}");
    }
}
