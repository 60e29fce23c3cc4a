//! The encodings read bit by bit, as the document of the format describes them: slow, and the judge
//! of the decoder.

use manicule_format_prometheus::chunk::Encoding;

/// What a plain decoder says of a histogram.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Buckets {
    pub(crate) count: u64,
    pub(crate) zero_count: u64,
    pub(crate) sum: u64,
    /// Positive ones first.
    pub(crate) stored: Vec<u64>,
}

/// Time, start time, and the bits of a value, or what a histogram has.
pub(crate) type Plain = (i64, i64, u64, Option<Buckets>);

const STALE: u64 = 0x7ff0_0000_0000_0002;

struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The last double, and of the last difference how many zeros were leading and trailing.
#[derive(Clone, Copy)]
struct Xor {
    bits: u64,
    leading: u32,
    trailing: u32,
}

impl Xor {
    fn of(bits: u64) -> Self {
        Xor { bits, leading: 0, trailing: 0 }
    }
}

impl Bits<'_> {
    fn bit(&mut self) -> u64 {
        let bit = self.bytes[self.at / 8] >> (7 - self.at % 8) & 1;
        self.at += 1;
        bit.into()
    }

    fn number(&mut self, len: u32) -> u64 {
        (0..len).fold(0, |number, _| number << 1 | self.bit())
    }

    fn ones(&mut self, max: u32) -> u32 {
        (0..max).take_while(|_| self.bit() == 1).count() as u32
    }

    fn signed(&mut self, len: u32) -> i64 {
        let number = self.number(len);
        if number > 1 << (len - 1) { number as i64 - (1 << len) } else { number as i64 }
    }

    fn uvarint(&mut self) -> u64 {
        let mut number = 0;
        for shift in (0..).step_by(7) {
            let byte = self.number(8);
            number |= (byte & 127) << shift;
            if byte < 128 {
                break;
            }
        }
        number
    }

    fn varint(&mut self) -> i64 {
        let number = self.uvarint();
        (number >> 1) as i64 ^ -((number & 1) as i64)
    }

    fn varbit_len(&mut self) -> u32 {
        [0, 3, 6, 9, 12, 18, 25, 56, 64][self.ones(8) as usize]
    }

    fn varbit_uint(&mut self) -> u64 {
        let len = self.varbit_len();
        self.number(len)
    }

    fn varbit_int(&mut self) -> i64 {
        match self.varbit_len() {
            0 => 0,
            64 => self.number(64) as i64,
            len => self.signed(len),
        }
    }

    fn window(&mut self, xor: &mut Xor, is_new: bool) {
        if is_new {
            xor.leading = self.number(5) as u32;
            let len = match self.number(6) as u32 {
                0 => 64,
                len => len,
            };
            xor.trailing = 64 - xor.leading - len;
        }
        xor.bits ^= self.number(64 - xor.leading - xor.trailing) << xor.trailing;
    }

    fn xor(&mut self, xor: &mut Xor) {
        if self.bit() == 1 {
            let is_new = self.bit() == 1;
            self.window(xor, is_new);
        }
    }

    /// Code A of encoding 4: the value, which is stale or the new base.
    fn code_a(&mut self, base: &mut Xor) -> u64 {
        match self.ones(3) {
            0 => {}
            3 => return STALE,
            ones => self.window(base, ones == 2),
        }
        base.bits
    }
}

/// Start times: known from the first sample or not, from which sample on they are there, the last,
/// and the last gap.
struct Starts {
    is_known: bool,
    from: u64,
    start: i64,
    gap: i64,
}

impl Starts {
    fn header(bits: &mut Bits<'_>) -> Self {
        Starts { is_known: bits.bit() == 1, from: bits.number(7), start: 0, gap: 0 }
    }

    fn read(&mut self, bits: &mut Bits<'_>, sample: u64, time: i64, before: i64) -> i64 {
        if sample == 0 && self.is_known {
            self.start = time.wrapping_sub(bits.varint());
        }
        if sample > 0 && self.from > 0 && sample >= self.from {
            let step = bits.varbit_int();
            self.gap = if sample == self.from { step } else { self.gap.wrapping_add(step) };
            self.start = before.wrapping_sub(self.gap);
        }
        self.start
    }
}

/// Reads a chunk that a writer has made.
pub(crate) fn decode(encoding: Encoding, bytes: &[u8]) -> Vec<Plain> {
    let mut bits = Bits { bytes, at: 0 };
    match encoding {
        Encoding::Xor => xor(&mut bits),
        Encoding::Xor2 => xor2(&mut bits),
        _ => histograms(&mut bits, encoding),
    }
}

fn xor(bits: &mut Bits<'_>) -> Vec<Plain> {
    let (mut time, mut delta, mut value) = (0i64, 0i64, Xor::of(0));
    let count = bits.number(16);
    let samples = (0..count).map(|sample| {
        match sample {
            0 => (time, value) = (bits.varint(), Xor::of(bits.number(64))),
            1 => delta = bits.uvarint() as i64,
            _ => {
                let change = match bits.ones(4) {
                    0 => 0,
                    1 => bits.signed(14),
                    2 => bits.signed(17),
                    3 => bits.signed(20),
                    _ => bits.number(64) as i64,
                };
                delta = delta.wrapping_add(change);
            }
        }
        if sample > 0 {
            time = time.wrapping_add(delta);
            bits.xor(&mut value);
        }
        (time, 0, value.bits, None)
    });
    samples.collect()
}

fn xor2(bits: &mut Bits<'_>) -> Vec<Plain> {
    let count = bits.number(16);
    let mut starts = Starts::header(bits);
    let (mut time, mut delta, mut base) = (0i64, 0i64, Xor::of(0));
    let samples = (0..count).map(|sample| {
        let before = time;
        let value = match sample {
            0 => {
                time = bits.varint();
                let value = bits.number(64);
                base.bits = if value == STALE { 0 } else { value };
                value
            }
            1 => {
                delta = bits.uvarint() as i64;
                time = time.wrapping_add(delta);
                bits.code_a(&mut base)
            }
            _ => {
                let ones = bits.ones(5);
                let change = match ones {
                    2 => (bits.number(13) as i64) << 51 >> 51,
                    3 => (bits.number(20) as i64) << 44 >> 44,
                    4 => bits.number(64) as i64,
                    _ => 0,
                };
                delta = delta.wrapping_add(change);
                time = time.wrapping_add(delta);
                match ones {
                    0 => base.bits,
                    1 => {
                        let is_new = bits.bit() == 1;
                        bits.window(&mut base, is_new);
                        base.bits
                    }
                    5 => STALE,
                    _ => bits.code_a(&mut base),
                }
            }
        };
        (time, starts.read(bits, sample, time, before), value, None)
    });
    samples.collect()
}

/// A count or a bucket: whole ones have a growth, doubles a window.
#[derive(Clone, Copy)]
struct Number {
    whole: i64,
    growth: i64,
    double: Xor,
}

impl Number {
    fn first(bits: &mut Bits<'_>, is_float: bool, is_count: bool) -> Self {
        let mut number = Number { whole: 0, growth: 0, double: Xor::of(0) };
        match (is_float, is_count) {
            (true, _) => number.double.bits = bits.number(64),
            (false, true) => number.whole = bits.varbit_uint() as i64,
            (false, false) => number.whole = bits.varbit_int(),
        }
        number
    }

    fn next(&mut self, bits: &mut Bits<'_>, is_float: bool) {
        if is_float {
            return bits.xor(&mut self.double);
        }
        self.growth = self.growth.wrapping_add(bits.varbit_int());
        self.whole = self.whole.wrapping_add(self.growth);
    }

    fn shown(&self, is_float: bool) -> u64 {
        if is_float { self.double.bits } else { self.whole as u64 }
    }
}

fn histograms(bits: &mut Bits<'_>, encoding: Encoding) -> Vec<Plain> {
    let has_starts = encoding.has_start_times();
    let is_float = matches!(encoding, Encoding::FloatHistogram | Encoding::FloatHistogramStart);
    bits.at += if has_starts { 2 } else { 0 };
    let count = bits.number(if has_starts { 14 } else { 16 });
    let mut starts = Starts::header(bits);
    if !has_starts {
        starts = Starts { is_known: false, from: 0, start: 0, gap: 0 };
    }
    let (mut time, mut delta, mut sum) = (0i64, 0i64, Xor::of(0));
    let mut totals: Vec<Number> = Vec::new();
    let mut buckets: Vec<Number> = Vec::new();
    let mut samples = Vec::new();
    for sample in 0..count {
        let before = time;
        if sample == 0 {
            let bucket_count = layout(bits);
            time = bits.varbit_int();
            totals = (0..2).map(|_| Number::first(bits, is_float, true)).collect();
            sum.bits = bits.number(64);
            buckets = (0..bucket_count).map(|_| Number::first(bits, is_float, false)).collect();
        } else {
            delta = delta.wrapping_add(bits.varbit_int());
            time = time.wrapping_add(delta);
            totals.iter_mut().for_each(|total| total.next(bits, is_float));
            bits.xor(&mut sum);
            if sum.bits != STALE {
                buckets.iter_mut().for_each(|bucket| bucket.next(bits, is_float));
            }
        }
        let mut shown = Buckets { sum: sum.bits, ..Buckets::default() };
        if sum.bits != STALE {
            shown.count = totals[0].shown(is_float);
            shown.zero_count = totals[1].shown(is_float);
            shown.stored = buckets.iter().map(|bucket| bucket.shown(is_float)).collect();
        }
        let start = starts.read(bits, sample, time, before);
        samples.push((time, start, 0, Some(shown)));
    }
    samples
}

/// Passes over a layout; how many buckets it has.
fn layout(bits: &mut Bits<'_>) -> u64 {
    if bits.number(8) == 255 {
        bits.number(64);
    }
    let schema = bits.varbit_int();
    let mut buckets = 0;
    for _ in 0..2 {
        for _ in 0..bits.varbit_uint() {
            buckets += bits.varbit_uint();
            bits.varbit_int();
        }
    }
    if schema == -53 {
        for _ in 0..bits.varbit_uint() {
            if bits.varbit_uint() == 0 {
                bits.number(64);
            }
        }
    }
    buckets
}
