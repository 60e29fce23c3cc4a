//! The names of PromQL's functions, so that a wrong one is told from one that is not answered.

/// Functions of Prometheus 3.15, experimental ones and those of older ones included.
#[rustfmt::skip]
const FUNCTIONS: &[&str] = &[
    "abs", "absent", "absent_over_time", "acos", "acosh", "asin", "asinh", "atan", "atanh",
    "avg_over_time", "ceil", "changes", "clamp", "clamp_max", "clamp_min", "cos", "cosh",
    "count_over_time", "day_of_month", "day_of_week", "day_of_year", "days_in_month", "deg",
    "delta", "deriv", "double_exponential_smoothing", "end", "exp", "first_over_time", "floor",
    "histogram_avg", "histogram_count", "histogram_fraction", "histogram_quantile",
    "histogram_quantiles", "histogram_stddev", "histogram_stdvar", "histogram_sum",
    "holt_winters", "hour", "idelta", "increase", "info", "irate", "label_join", "label_replace",
    "last_over_time", "ln", "log10", "log2", "mad_over_time", "max_of", "max_over_time", "min_of",
    "min_over_time", "minute", "month", "pi", "predict_linear", "present_over_time",
    "quantile_over_time", "rad", "range", "rate", "resets", "round", "scalar", "sgn", "sin",
    "sinh", "sort", "sort_by_label", "sort_by_label_desc", "sort_desc", "sqrt", "start",
    "start_timestamp", "stddev_over_time", "stdvar_over_time", "step", "sum_over_time", "tan",
    "tanh", "time", "timestamp", "ts_of_first_over_time", "ts_of_last_over_time",
    "ts_of_max_over_time", "ts_of_min_over_time", "vector", "year",
];

pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_each_is_one_of_them() {
        assert!(FUNCTIONS.is_sorted());
        assert!(is_function("rate") && !is_function("nofunc"));
    }
}
