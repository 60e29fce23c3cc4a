#[test]
fn parse_config_reads_ports_and_lamps() {
    let config = parse_config("port = 8080\nlamp = hall\n").unwrap();
    assert_eq!(config.port, 8080);
    assert!(parse_config("what").is_none());
}
