//! What universal-ctags answers of a document is read or refused in one short line, never a panic;
//! and its tags become symbols that lie in the document, in order and apart, each where its line
//! has its name.
//!
//! The answer is the lines before the first `.` alone in its line, the document what follows.
//!
//! Seeds: `mkdir -p corpus/zoekt_tags && cp seeds/zoekt_tags/* corpus/zoekt_tags`

#![no_main]

use libfuzzer_sys::fuzz_target;

/// The files that are tested are private to their crate, so they are compiled as part of this one.
#[path = "../../engines/code/src/shards"]
mod shards {
    pub(super) mod symbols {
        #[expect(dead_code, reason = "symbols of shards are not asked for here")]
        mod list;
        mod place;
        mod reply;
        mod words;

        use place::Placer;
        use reply::{Reply, decode};

        /// Maximum number of characters of a refusal: as many as it quotes, each of them escaped.
        const REFUSAL_LEN_MAX: usize = 120 * r"\u{10ffff}".len() + 60;

        pub(crate) fn check(answer: &[u8], content: &[u8]) {
            let mut placer = Placer::new(content);
            for line in answer.split(|byte| *byte == b'\n') {
                match decode(line) {
                    Ok(Reply::Tag(tag)) => placer.add(&tag),
                    Ok(Reply::Nothing | Reply::Greeting | Reply::Complete) => {}
                    Err(why) => assert!(why.chars().count() <= REFUSAL_LEN_MAX, "{why}"),
                }
            }
            let symbols = placer.finish();
            let mut end = 0;
            for symbol in &symbols.list {
                assert!(end <= symbol.start && symbol.start <= symbol.end, "{symbol:?}");
                let name = &content[symbol.start as usize..symbol.end as usize];
                assert!(!name.contains(&b'\n'), "{symbol:?}");
                assert!(symbol.start_rune <= symbol.start && symbol.end_rune <= symbol.end);
                for word in [symbol.kind, symbol.parent, symbol.parent_kind] {
                    symbols.word(word);
                }
                end = symbol.end;
            }
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let border = bytes.windows(3).position(|at| at == b"\n.\n");
    let (answer, content) = match border {
        Some(at) => (&bytes[..at], &bytes[at + 3..]),
        None => (bytes, &b""[..]),
    };
    shards::symbols::check(answer, content);
});
