mod config;

fn main() {
    let text = std::fs::read_to_string("lamps.conf").expect("settings");
    let config = config::parse_config(&text).expect("settings that parse_config can read");
    for lamp in &config.lamps {
        println!("{lamp}:{}", config.port);
    }
}
