//! Settings of the lamp service, read from a file.

/// Settings.
pub struct Config {
    pub port: u16,
    pub lamps: Vec<String>,
}

/// Reads settings: a line each, `name = value`.
pub fn parse_config(text: &str) -> Option<Config> {
    let mut config = Config { port: 80, lamps: Vec::new() };
    for line in text.lines() {
        match line.split_once('=')? {
            ("port ", value) => config.port = value.trim().parse().ok()?,
            ("lamp ", value) => config.lamps.push(value.trim().to_owned()),
            _ => return None,
        }
    }
    Some(config)
}
