//! Symbols of a golden shard: their names, kinds and what they are declared in.

use std::fs;
use std::path::Path;

use manicule_format_zoekt::Shard;

#[test]
fn symbols_have_kinds_and_parents() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let name = "proof/golden/code/shards/git-ctags/example.org%2Flamps_v16.00000.zoekt";
    let bytes = fs::read(root.join(name)).expect("a golden shard");
    let shard = Shard::open(&bytes).expect("a sound shard");
    assert!(shard.has_symbols());
    let mut got = Vec::new();
    for document in 0..shard.document_count() {
        let content = shard.contents().text(document).expect("a document");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let ranges = shard.symbol_ranges(document).expect("symbols");
        for (index, range) in ranges.iter().enumerate() {
            let info = shard.symbol_info(document, index).expect("a symbol");
            let name = text(&content[range.start as usize..range.end as usize]);
            let [kind, parent, of] = [info.kind, info.parent, info.parent_kind].map(text);
            got.push([name, kind, parent, of].join(" "));
        }
        assert!(shard.symbol_info(document, 10_000).is_err());
    }
    let want = [
        "lamps chapter  ",
        "main package  ",
        "main func main package",
        "wick package  ",
        "Trim func wick package",
        "wick chapter  ",
    ];
    assert_eq!(got, want);
}
