//! Questions to a block of which nothing is kept, or what others brought, beside the same block
//! mapped.

use std::path::Path;

use manicule_series::query::{Blocks, Work};
use manicule_series::{Block, BlockError, Selector, open_within, open_within_in};
use manicule_store::store::MemoryStore;
use manicule_testkit::{fail_at_every_operation, golden_folder, in_memory};

use super::{fetched, samples_of};

const SELECTORS: [&str; 13] = [
    r#"{job="db"}"#,
    r#"{job="db",zone="z2"}"#,
    r#"{job="db",zone="z2",pod=~"db-9.*"}"#,
    r#"{job="db",pod=~".*-9.*"}"#,
    r#"{pod=~"db-9.*",zone!="z2"}"#,
    r#"{pod=~"db-9.*",extra=""}"#,
    r#"{extra!=""}"#,
    r#"{zone!~"z0|z2",job!="node"}"#,
    r#"{instance=~"10\\.2\\..*:9100",cluster="c1"}"#,
    r#"{__name__=~".+",instance="10.2.0.58:9100"}"#,
    r#"{job="none",zone="z2"}"#,
    r#"{pod!~"db-.*",instance="10.2.0.58:9100"}"#,
    r#"{missing!="x",instance=~"10.2.0.5.:9100"}"#,
];

fn answer(blocks: &[Block], selectors: &[Selector]) -> Result<Vec<String>, BlockError> {
    let all = Blocks::new(blocks, None);
    let (mut answer, work) = (Vec::new(), &mut Work::default());
    for found in [
        all.label_names(selectors, work)?,
        all.label_values(b"pod", selectors, work)?,
        all.label_values(b"zone", selectors, work)?,
    ] {
        answer.push(format!(
            "{:?}",
            found.into_iter().map(String::from_utf8_lossy).collect::<Vec<_>>()
        ));
    }
    answer.push(format!("{:?}", all.count(selectors, work)?));
    for (value, count) in all.label_counts(Some(b"cluster"), selectors, work)? {
        answer.push(format!("{} {count}", String::from_utf8_lossy(value)));
    }
    answer.extend(samples_of(blocks, selectors)?);
    Ok(answer)
}

fn ask(store: &MemoryStore, kept: &Path, selectors: &[Selector]) -> Result<Vec<String>, String> {
    let opened = open_within_in(&fetched(store.clone(), kept), None);
    opened.and_then(|opened| answer(&opened.blocks, selectors)).map_err(|error| error.to_string())
}

#[test]
fn a_block_elsewhere_answers_as_one_that_is_mapped() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path().join("blocks/k5k");
    let (store, local) = (in_memory(&folder), open_within(&folder, None, None).unwrap().blocks);
    let shared = tempfile::tempdir().expect("a folder");
    for text in SELECTORS {
        let selectors = [Selector::parse(text).unwrap()];
        let want = answer(&local, &selectors).map_err(|error| error.to_string());
        assert!(want.is_ok());
        let own = tempfile::tempdir().expect("a folder");
        for kept in [own.path(), shared.path()] {
            assert!(ask(&store, kept, &selectors) == want, "{text}");
        }
    }
    let want = answer(&local, &[]).unwrap();
    assert_eq!(ask(&store, shared.path(), &[]), Ok(want));
}

#[test]
fn a_question_fails_by_name_whichever_operation_does() {
    let golden = golden_folder("series", "golden");
    let store = in_memory(&golden.path().join("blocks/k5k"));
    for text in [r#"{job="db",zone="z2",pod=~"db-9.*"}"#, r#"{pod=~"db-9.*",extra=""}"#] {
        let selectors = [Selector::parse(text).unwrap()];
        fail_at_every_operation(&store, |store| {
            let kept = tempfile::tempdir().expect("a folder");
            ask(store, kept.path(), &selectors)
        });
    }
}
