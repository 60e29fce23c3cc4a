//! Who asks, where, and what is said to those who may not.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;

use manicule_bucket::{Bucket, Identity, Options, Payer, open};
use manicule_buckets::{Server, Setup};
use manicule_store::store::{Name, Store, StoreError};

use crate::{LIMITS, kind, whole};

/// A server with one object, and the variables of whoever may ask it.
fn server() -> (Server, BTreeMap<String, String>) {
    let server = Server::start(Setup::Signed);
    server.put("a", b"one");
    let variables = server.variables();
    (server, variables)
}

fn of(variables: &BTreeMap<String, String>) -> Options {
    Options { limits: LIMITS, ..Options::of_variables(variables.clone()) }
}

#[test]
fn a_wrong_secret_is_denied() {
    let (_server, mut variables) = server();
    variables.insert("AWS_SECRET_ACCESS_KEY".to_owned(), "wrong".to_owned());
    let bucket = open("s3://bucket", &of(&variables)).expect("an address");
    let error = whole(&bucket, "a").expect_err("denied");
    assert_eq!(error.class(), manicule_core::ErrorClass::Denied);
    let says = "403 Forbidden: SignatureDoesNotMatch: the signature is another";
    assert!(error.to_string().ends_with(says), "{error}");
    // A look has no body to say why.
    assert_eq!(kind(bucket.look(&Name::new("a").expect("a name"))), ErrorKind::PermissionDenied);
}

#[test]
fn a_wrong_region_is_named() {
    let (_server, mut variables) = server();
    variables.insert("AWS_REGION".to_owned(), "mars-1".to_owned());
    let bucket = open("s3://bucket", &of(&variables)).expect("an address");
    let says = "a: the region is not the bucket's, which is eu-test-1 (";
    for error in [whole(&bucket, "a").expect_err("elsewhere"), look_of(&bucket)] {
        assert!(error.to_string().contains(says), "{error}");
        assert_eq!(error.source.kind(), ErrorKind::InvalidInput);
    }
    let right = Options { region: Some("eu-test-1".to_owned()), ..of(&variables) };
    let bucket = open("s3://bucket", &right).expect("an address");
    assert_eq!(whole(&bucket, "a").expect("read"), b"one");
}

fn look_of(bucket: &Bucket) -> StoreError {
    bucket.look(&Name::new("a").expect("a name")).expect_err("elsewhere")
}

#[test]
fn without_credentials_nobody_waits_for_a_machine_that_has_no_role() {
    let (_server, mut variables) = server();
    variables.remove("AWS_ACCESS_KEY_ID");
    variables.insert("AWS_EC2_METADATA_DISABLED".to_owned(), "true".to_owned());
    let error = open("s3://bucket", &of(&variables)).expect_err("nobody");
    assert!(error.to_string().starts_with("s3://bucket: no credentials: "), "{error}");
    assert_eq!(error.class(), manicule_core::ErrorClass::Denied);
    assert!(!format!("{:?}", of(&variables)).contains("test-secret"));
}

#[test]
fn nobody_asks_without_a_signature() {
    let (server, variables) = server();
    let anonymous = Options { identity: Identity::Anonymous, ..of(&variables) };
    let bucket = open("s3://bucket", &anonymous).expect("an address");
    let error = whole(&bucket, "a").expect_err("denied");
    assert!(error.to_string().ends_with("the request is not signed"), "{error}");
    let public = Server::start(Setup::Public);
    public.put("a", b"one");
    let endpoint = Some(public.endpoint());
    let bucket = open("s3://bucket", &Options { endpoint, ..anonymous }).expect("an address");
    assert_eq!(whole(&bucket, "a").expect("read"), b"one");
    drop(server);
}

#[test]
fn the_requester_pays_if_the_call_says_so() {
    let server = Server::start(Setup::RequesterPays);
    server.put("a", b"one");
    let owner = of(&server.variables());
    let bucket = open("s3://bucket", &owner).expect("an address");
    let error = whole(&bucket, "a").expect_err("denied");
    assert!(error.to_string().ends_with("AccessDenied: nobody pays"), "{error}");
    let bucket = open("s3://bucket", &Options { payer: Payer::Requester, ..owner });
    let bucket = bucket.expect("an address");
    assert_eq!(whole(&bucket, "a").expect("read"), b"one");
    assert_eq!(bucket.list(&Name::root()).expect("list").len(), 1);
}

#[test]
fn an_address_as_restic_has_it_names_the_host() {
    let (server, mut variables) = server();
    variables.remove("AWS_ENDPOINT_URL");
    let address = format!("s3:{}/bucket", server.endpoint());
    let bucket = open(&address, &of(&variables)).expect("an address");
    assert_eq!(whole(&bucket, "a").expect("read"), b"one");
    assert_eq!(
        bucket.show(&Name::new("a").expect("a name")).to_str(),
        Some(&*format!("{address}/a"))
    );
}

#[test]
fn a_profile_has_keys_region_and_endpoint() {
    let (server, variables) = server();
    let folder = tempfile::tempdir().expect("a folder");
    let aws = folder.path().join(".aws");
    fs::create_dir(&aws).expect("a folder");
    let config = format!(
        "[profile work]\nregion = {}\nendpoint_url = {}\n[profile role]\nrole_arn = arn:x\n",
        variables["AWS_REGION"],
        server.endpoint(),
    );
    fs::write(aws.join("config"), config).expect("a file");
    let keys = "[work]\naws_access_key_id = test-id\naws_secret_access_key = test-secret\n";
    fs::write(aws.join("credentials"), keys).expect("a file");
    let home = folder.path().to_str().expect("UTF-8").to_owned();
    let home = BTreeMap::from([("HOME".to_owned(), home)]);
    let named = Options { profile: Some("work".to_owned()), ..of(&home) };
    let bucket = open("s3://bucket", &named).expect("an address");
    assert_eq!(whole(&bucket, "a").expect("read"), b"one");
    let mut variable = home.clone();
    variable.insert("AWS_PROFILE".to_owned(), "work".to_owned());
    let bucket = open("s3://bucket", &of(&variable)).expect("an address");
    assert_eq!(whole(&bucket, "a").expect("read"), b"one");
    let refused = |profile: &str| {
        let named = Options { profile: Some(profile.to_owned()), ..of(&home) };
        open("s3://bucket", &named).expect_err("refused").to_string()
    };
    assert!(refused("none").contains("the profile none is in neither"), "{}", refused("none"));
    assert!(refused("role").contains("no keys but `role_arn`"), "{}", refused("role"));
}
