//! Data of the bench: the shop, bursts of new products, pages that are replaced.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Result;
use manicule_graphs::{Shop, ShopSyntax, shop_item};
use manicule_testkit::golden_file;

/// Number of products of a burst.
pub(super) const BURST_PRODUCTS: u32 = 100;
/// Number of bursts, those of the warm-up among them.
pub(super) const BURSTS: u32 = 103;
const WARM_UP_BURSTS: u32 = 3;

/// Files that are made once and kept.
pub(super) struct Input {
    pub(super) products: u32,
    /// The shop, N-Triples.
    pub(super) shop: PathBuf,
    /// Number of its lines.
    pub(super) line_count: u64,
    /// The shop and all bursts, N-Triples.
    pub(super) all: PathBuf,
    /// Plan of the bursts.
    pub(super) plan: PathBuf,
    /// Number of triples of the measured bursts.
    pub(super) burst_triples: u64,
    /// Subjects of point reads, a line each.
    pub(super) subjects: PathBuf,
    /// A wiki, N-Triples, and requests that replace its pages, a line each.
    pub(super) pages: [PathBuf; 2],
}

impl Input {
    /// The files of a folder, made where they aren't there.
    pub(super) fn make(kept: &Path, products: u32) -> Result<Input> {
        let folder = kept.join(products.to_string());
        fs::create_dir_all(&folder)?;
        let (file, maker) = (|name: &str| folder.join(name), Shop::new());
        let [shop, all, plan, subjects] = ["shop.nt", "all.nt", "plan", "subjects"].map(file);
        let pages = ["pages.nt", "pages.ru"].map(file);
        if !shop.exists() {
            eprintln!("making a shop of {products} products ...");
            let aside = file("aside");
            let mut out = BufWriter::new(File::create(&aside)?);
            maker.write(products, ShopSyntax::Triples, &mut out)?;
            out.flush()?;
            fs::rename(aside, &shop)?;
        }
        let mut line_count = 0;
        for line in BufReader::with_capacity(1 << 20, File::open(&shop)?).split(b'\n') {
            line?;
            line_count += 1;
        }
        fs::copy(&shop, &all)?;
        let mut both = File::options().append(true).open(&all)?;
        let (mut lines, mut burst_triples) = (String::new(), 0);
        for number in 0..BURSTS {
            let first = products + number * BURST_PRODUCTS;
            let text = maker.products(first..first + BURST_PRODUCTS);
            both.write_all(text.as_bytes())?;
            let request = file(&format!("{number}.ru"));
            fs::write(&request, format!("INSERT DATA {{\n{text}}}"))?;
            let is_warm = number < WARM_UP_BURSTS;
            burst_triples += if is_warm { 0 } else { text.lines().count() as u64 };
            let random = (u64::from(number) * 48_611 + 12_345) % u64::from(products);
            let items = [first + BURST_PRODUCTS - 1, products / 2, random as u32];
            let items = items.map(|number| shop_item("Product", number)).join("\t");
            let turn = if is_warm { "warm" } else { "timed" };
            lines += &format!("{turn}\t{}\t{items}\n", request.display());
        }
        fs::write(&plan, lines)?;
        let others = (0..2000u64).map(|at| (at * 7919 + 17) % u64::from(products));
        let others = others.map(|number| shop_item("Product", number as u32) + "\n");
        fs::write(&subjects, others.collect::<String>())?;
        for (path, name) in pages.iter().zip(["pages/base.nt", "pages/updates.ru"]) {
            fs::write(path, golden_file("graph", name))?;
        }
        Ok(Input { products, shop, line_count, all, plan, burst_triples, subjects, pages })
    }
}
