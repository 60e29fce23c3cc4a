//! The question of each table's page is asked.

use manicule::catalog::tables;

use crate::yard::csv;

/// Words of questions, and what they are in the yard.
const OWN: &[(&str, &str)] = &[
    ("'/srv'", "'tree'"),
    ("'repo'", "'unused'"),
    ("'st'", "'store'"),
    ("{..}", "{ VALUES (?host ?owner) { (\"anvil\" \"Ada\") } }"),
    ("'s3://backups/prod'", "'backups'"),
];

#[test]
fn the_question_of_each_page_is_answered() {
    for table in tables() {
        let mut question = table.question.to_owned();
        for (word, own) in OWN {
            question = question.replace(word, own);
        }
        let rows = csv(&question);
        println!("{}: {} rows", table.name, rows.len());
    }
}
