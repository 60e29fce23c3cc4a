//! Fewer points of a series, which look the same: of the samples of each piece of time the least
//! and the greatest, at their own times. No outlier is lost.

/// A point: its time in milliseconds; without a value the series ends there.
pub(super) type Point = (i64, Option<f64>);

/// Takes samples by time, as many as there are, and keeps a bounded number of points.
#[derive(Debug)]
pub(super) struct Thinned {
    /// Pieces of time are this many milliseconds, a power of two.
    width: i64,
    pieces_max: usize,
    pieces: Vec<Piece>,
    summary: Summary,
}

/// What is known of all samples of a series, those included that are not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Summary {
    pub(super) samples: u64,
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
    pub(super) last: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    number: i64,
    least: (i64, f64),
    greatest: (i64, f64),
    /// Time at which the series ends in this piece, if it does so last.
    end: Option<i64>,
}

impl Thinned {
    /// Keeps at most this number of pieces of time, and up to three points of each.
    pub(super) fn new(pieces_max: usize) -> Thinned {
        let summary = Summary::default();
        Thinned { width: 1, pieces_max: pieces_max.max(1), pieces: Vec::new(), summary }
    }

    /// Takes a sample that is not earlier than those before. One that is not a number counts, and
    /// has no point.
    pub(super) fn take(&mut self, time: i64, value: f64) {
        self.summary.samples += 1;
        if value.is_nan() {
            return;
        }
        let Summary { min, max, last, .. } = &mut self.summary;
        *min = Some(min.map_or(value, |own| own.min(value)));
        *max = Some(max.map_or(value, |own| own.max(value)));
        *last = Some(value);
        let (number, point) = (time.div_euclid(self.width), (time, value));
        let piece = Piece { number, least: point, greatest: point, end: None };
        match self.pieces.last_mut() {
            Some(own) if own.number == number => own.join(&piece),
            _ => self.pieces.push(piece),
        }
        while self.pieces.len() > self.pieces_max {
            self.widen();
        }
    }

    /// The series has ended at a time.
    pub(super) fn end_at(&mut self, time: i64) {
        if let Some(last) = self.pieces.last_mut() {
            last.end = Some(time);
        }
    }

    fn widen(&mut self) {
        self.width = self.width.saturating_mul(2);
        let mut joined: Vec<Piece> = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            let piece = Piece { number: piece.number.div_euclid(2), ..*piece };
            match joined.last_mut() {
                Some(last) if last.number == piece.number => last.join(&piece),
                _ => joined.push(piece),
            }
        }
        self.pieces = joined;
    }

    /// The points, and what is known of all samples.
    pub(super) fn done(self) -> (Vec<Point>, Summary) {
        let mut points = Vec::with_capacity(2 * self.pieces.len());
        for Piece { least, greatest, end, .. } in self.pieces {
            let (first, second) =
                if least.0 <= greatest.0 { (least, greatest) } else { (greatest, least) };
            points.push((first.0, Some(first.1)));
            if second.0 != first.0 {
                points.push((second.0, Some(second.1)));
            }
            if let Some(end) = end.filter(|end| *end > second.0) {
                points.push((end, None));
            }
        }
        (points, self.summary)
    }
}

impl Piece {
    /// Takes a later piece of the same time.
    fn join(&mut self, later: &Piece) {
        if later.least.1 < self.least.1 {
            self.least = later.least;
        }
        if later.greatest.1 > self.greatest.1 {
            self.greatest = later.greatest;
        }
        self.end = later.end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thinned(samples: impl Iterator<Item = (i64, f64)>, max: usize) -> (Vec<Point>, Summary) {
        let mut thinned = Thinned::new(max);
        samples.for_each(|(time, value)| thinned.take(time, value));
        thinned.done()
    }

    #[test]
    fn few_samples_are_kept_as_they_are() {
        let samples = [(-7, 1.0), (0, 3.0), (15, -2.0)];
        let (points, summary) = thinned(samples.into_iter(), 3);
        assert_eq!(points, samples.map(|(time, value)| (time, Some(value))));
        let (min, max, last) = (Some(-2.0), Some(3.0), Some(-2.0));
        assert_eq!(summary, Summary { samples: 3, min, max, last });
    }

    #[test]
    fn of_many_none_of_the_extremes_is_lost_and_the_number_is_bounded() {
        let wave = |at: i64| (at as f64 / 500.0).sin();
        let samples =
            (0..100_000).map(|at| (at * 15_000, if at == 4711 { 99.0 } else { wave(at) }));
        let (points, summary) = thinned(samples, 1000);
        assert!(points.len() <= 2000 && points.len() > 500, "{}", points.len());
        assert!(points.contains(&(4711 * 15_000, Some(99.0))));
        assert!(points.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!((summary.samples, summary.max), (100_000, Some(99.0)));
    }

    #[test]
    fn a_series_that_ends_has_a_gap_and_no_value_has_no_point() {
        let mut gap = Thinned::new(10);
        gap.take(0, 1.0);
        gap.end_at(5);
        gap.take(50, 2.0);
        gap.take(60, f64::NAN);
        let (points, summary) = gap.done();
        assert_eq!(points, [(0, Some(1.0)), (5, None), (50, Some(2.0))]);
        assert_eq!((summary.samples, summary.last), (3, Some(2.0)));
    }
}
