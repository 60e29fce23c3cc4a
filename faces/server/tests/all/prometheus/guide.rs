//! What docs/guide/serve-prometheus.md shows is what the server answers.

use super::Golden;

const GUIDE: &str = include_str!("../../../../../docs/guide/serve-prometheus.md");

#[test]
fn the_guide_shows_what_is_answered() {
    let golden = Golden::unpack();
    let server = golden.serve();
    let blocks = GUIDE.split("```console\n").skip(1).filter_map(|block| block.split("```").next());
    let (mut lines, mut count) = (blocks.flat_map(str::lines), 0);
    while let Some(line) = lines.next() {
        let target = line
            .strip_prefix("$ curl -s 'http://localhost:6264")
            .and_then(|rest| rest.strip_suffix("'"))
            .unwrap_or_else(|| panic!("no request: {line}"));
        assert_eq!(server.get(target).text(), lines.next().unwrap(), "{target}");
        count += 1;
    }
    assert_eq!(count, 4);
}
