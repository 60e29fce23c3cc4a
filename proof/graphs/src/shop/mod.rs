//! A shop in RDF, after the shape of the Berlin SPARQL Benchmark, of any size: the golden data are
//! 200 products of it.
//!
//! A product is seeded by its number, so that new products go on where a load has ended.

mod python;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write};

use manicule_core::civil::Date;
use python::Random;

const ITEM: &str = "http://bsbm.example.org/i/";
const TYPE_COUNT: u32 = 151;
const FEATURE_COUNT: u32 = 5000;
const WORD_COUNT: usize = 20_000;
const COUNTRIES: [&str; 10] = ["US", "GB", "DE", "FR", "JP", "CN", "ES", "RU", "AT", "KR"];

/// Syntax of a shop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShopSyntax {
    /// N-Triples.
    Triples,
    /// N-Quads: offers in a graph for each vendor, reviews in one for each site.
    Quads,
}

/// A maker of shops.
#[derive(Clone, Debug)]
pub struct Shop {
    words: Vec<String>,
}

impl Default for Shop {
    fn default() -> Self {
        Shop::new()
    }
}

/// The IRI of a thing of the shop: `Product17`.
pub fn shop_item(kind: &str, number: u32) -> String {
    format!("{ITEM}{kind}{number}")
}

/// Lines as they come.
struct Lines {
    text: String,
    count: u64,
    syntax: ShopSyntax,
    /// Name of the graph, an item.
    graph: Option<String>,
}

impl Lines {
    fn new(syntax: ShopSyntax) -> Lines {
        Lines { text: String::new(), count: 0, syntax, graph: None }
    }

    /// A triple: the subject is an item, the others are written already.
    fn put(&mut self, subject: &str, predicate: &str, object: &str) {
        write!(self.text, "<{ITEM}{subject}> {predicate} {object}").expect("memory");
        if let (ShopSyntax::Quads, Some(graph)) = (self.syntax, &self.graph) {
            write!(self.text, " <{ITEM}{graph}>").expect("memory");
        }
        self.text.push_str(" .\n");
        self.count += 1;
    }

    fn write_to(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }
}

const TYPE: &str = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
const LABEL: &str = "<http://www.w3.org/2000/01/rdf-schema#label>";
const COMMENT: &str = "<http://www.w3.org/2000/01/rdf-schema#comment>";
const SUBCLASS: &str = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>";

fn v(name: &str) -> String {
    format!("<http://bsbm.example.org/v/{name}>")
}

fn i(name: &str) -> String {
    format!("<{ITEM}{name}>")
}

fn integer(number: u32) -> String {
    format!("\"{number}\"^^<http://www.w3.org/2001/XMLSchema#integer>")
}

/// A day of ten years from the beginning of one.
fn date(random: &mut Random, year: i64) -> String {
    let first = Date { year, month: 1, day: 1 }.to_day();
    let Date { year, month, day } = Date::of_day(first + i64::from(random.below(3650)));
    format!("\"{year:04}-{month:02}-{day:02}\"^^<http://www.w3.org/2001/XMLSchema#date>")
}

impl Shop {
    /// The maker.
    pub fn new() -> Shop {
        let mut random = Random::new(7);
        let word = |random: &mut Random| {
            let len = random.between(1, 5);
            let syllable = |_| {
                let consonant = random.choose(b"bcdfghjklmnprstvw");
                [char::from(consonant), char::from(random.choose(b"aeiou"))]
            };
            (0..len).flat_map(syllable).collect()
        };
        Shop { words: (0..WORD_COUNT).map(|_| word(&mut random)).collect() }
    }

    /// Writes a shop with a number of products. Returns the number of lines.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, products: u32, syntax: ShopSyntax, out: &mut dyn Write) -> io::Result<u64> {
        let mut lines = Lines::new(syntax);
        self.dimensions(products, &mut lines);
        for number in 0..products {
            self.product(number, &mut lines);
            self.offers(number, products, &mut lines);
            self.reviews(number, products, &mut lines);
            lines.write_to(out)?;
        }
        lines.write_to(out)?;
        Ok(lines.count)
    }

    /// Products of these numbers, without offers and reviews, as lines of N-Triples.
    pub fn products(&self, numbers: std::ops::Range<u32>) -> String {
        let mut lines = Lines::new(ShopSyntax::Triples);
        numbers.for_each(|number| self.product(number, &mut lines));
        lines.text
    }

    fn words(&self, random: &mut Random, count: u32) -> String {
        let word = |_| {
            let unit = random.unit();
            self.words[(WORD_COUNT as f64 * (unit * unit)) as usize].as_str()
        };
        (0..count).map(word).collect::<Vec<_>>().join(" ")
    }

    fn text(&self, random: &mut Random, count: u32) -> String {
        format!("\"{}\"", self.words(random, count))
    }

    /// Types, features, producers, vendors, reviewers.
    fn dimensions(&self, products: u32, lines: &mut Lines) {
        let random = &mut Random::new(99);
        for number in 0..TYPE_COUNT {
            let subject = format!("ProductType{number}");
            lines.put(&subject, TYPE, &v("ProductType"));
            lines.put(&subject, LABEL, &self.text(random, 2));
            if number > 0 {
                lines.put(&subject, SUBCLASS, &i(&format!("ProductType{}", number / 8)));
            }
        }
        for number in 0..FEATURE_COUNT {
            let subject = format!("ProductFeature{number}");
            lines.put(&subject, TYPE, &v("ProductFeature"));
            lines.put(&subject, LABEL, &self.text(random, 2));
        }
        let kinds = [
            ("Producer", "Producer", products / 30 + 1),
            ("Vendor", "Vendor", vendor_count(products)),
            ("Reviewer", "Person", reviewer_count(products)),
        ];
        for (name, class, count) in kinds {
            for number in 0..count {
                let subject = format!("{name}{number}");
                lines.put(&subject, TYPE, &v(class));
                lines.put(&subject, LABEL, &self.text(random, 2));
                let country = random.choose(&COUNTRIES);
                lines.put(&subject, &v("country"), &i(&format!("country/{country}")));
                lines.put(&subject, &v("homepage"), &i(&format!("web/{subject}")));
            }
        }
    }

    fn product(&self, number: u32, lines: &mut Lines) {
        let random = &mut Random::new(u64::from(number) * 7919 + 1);
        let (subject, kind) = (format!("Product{number}"), random.below(TYPE_COUNT));
        let mut put = |predicate: &str, object: &str| lines.put(&subject, predicate, object);
        put(TYPE, &v("Product"));
        put(TYPE, &i(&format!("ProductType{kind}")));
        put(TYPE, &i(&format!("ProductType{}", kind / 8)));
        put(LABEL, &self.text(random, 3));
        let count = random.between(20, 60);
        put(COMMENT, &self.text(random, count));
        let producer = i(&format!("Producer{}", number / 30));
        put(&v("producer"), &producer);
        let count = random.between(5, 10);
        let mut feature = |_| (kind * 31 + random.gauss(60.0).abs() as u32) % FEATURE_COUNT;
        let features: BTreeSet<u32> = (0..count).map(&mut feature).collect();
        for feature in features {
            put(&v("productFeature"), &i(&format!("ProductFeature{feature}")));
        }
        for place in 1..=3 {
            let count = random.between(3, 12);
            put(&v(&format!("productPropertyTextual{place}")), &self.text(random, count));
        }
        for place in 1..=3 {
            let value = integer(random.between(1, 2000));
            put(&v(&format!("productPropertyNumeric{place}")), &value);
        }
        put(&v("publisher"), &producer);
        put(&v("date"), &date(random, 2008));
    }

    fn offers(&self, product: u32, products: u32, lines: &mut Lines) {
        let random = &mut Random::new(u64::from(product) * 7919 + 2);
        for number in product * 5..product * 5 + 5 {
            let subject = format!("Offer{number}");
            let vendor = format!("Vendor{}", random.below(vendor_count(products)));
            let price = random.uniform(5.0, 10_000.0);
            let (from, to) = (date(random, 2008), date(random, 2018));
            let (days, made) = (random.between(1, 21), date(random, 2008));
            lines.graph = Some(vendor.clone());
            let mut put = |predicate: &str, object: &str| lines.put(&subject, predicate, object);
            put(TYPE, &v("Offer"));
            put(&v("product"), &i(&format!("Product{product}")));
            put(&v("vendor"), &i(&vendor));
            // Two digits always: 5.50 is not the canonical form of its value.
            let price = format!("\"{price:.2}\"^^<http://www.w3.org/2001/XMLSchema#decimal>");
            put(&v("price"), &price);
            put(&v("validFrom"), &from);
            put(&v("validTo"), &to);
            put(&v("deliveryDays"), &integer(days));
            put(&v("offerWebpage"), &i(&format!("web/{subject}")));
            put(&v("publisher"), &i(&vendor));
            put(&v("date"), &made);
        }
        lines.graph = None;
    }

    fn reviews(&self, product: u32, products: u32, lines: &mut Lines) {
        let random = &mut Random::new(u64::from(product) * 7919 + 3);
        for number in product * 3..product * 3 + 3 {
            let subject = format!("Review{number}");
            let reviewer = random.below(reviewer_count(products));
            let count = random.between(4, 10);
            let title = self.text(random, count);
            let count = random.between(30, 120);
            let text = self.text(random, count);
            let made = date(random, 2008);
            let site = format!("RatingSite{}", random.below(50));
            lines.graph = Some(site.clone());
            let mut put = |predicate: &str, object: &str| lines.put(&subject, predicate, object);
            put(TYPE, &v("Review"));
            put(&v("reviewFor"), &i(&format!("Product{product}")));
            put(&v("reviewer"), &i(&format!("Reviewer{reviewer}")));
            put(&v("title"), &format!("{title}@en"));
            put(&v("text"), &format!("{text}@en"));
            put(&v("reviewDate"), &made);
            put(&v("publisher"), &i(&site));
            for place in 1..=4 {
                if random.unit() < 0.7 {
                    let rating = integer(random.between(1, 10));
                    put(&v(&format!("rating{place}")), &rating);
                }
            }
        }
        lines.graph = None;
    }
}

fn vendor_count(products: u32) -> u32 {
    (products / 50).max(10)
}

fn reviewer_count(products: u32) -> u32 {
    (products / 2).max(10)
}

#[cfg(test)]
mod tests {
    use manicule_testkit::golden_file;

    use super::*;

    #[test]
    fn a_shop_of_200_products_is_the_golden_one() {
        let mut made = Vec::new();
        assert_eq!(Shop::new().write(200, ShopSyntax::Quads, &mut made).expect("memory"), 31_059);
        let golden = golden_file("graph", "shop200.nq");
        let [made, golden] = [&made, &golden]
            .map(|text| text.split_inclusive(|byte| *byte == b'\n').collect::<BTreeSet<_>>());
        assert!(made == golden, "another shop");
    }

    #[test]
    fn new_products_are_those_of_a_larger_shop() {
        let (shop, mut made) = (Shop::new(), Vec::new());
        shop.write(30, ShopSyntax::Triples, &mut made).expect("memory");
        let made = String::from_utf8(made).expect("text");
        assert!(shop.products(20..22).lines().all(|line| made.contains(line)));
    }
}
