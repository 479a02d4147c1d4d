//! Plots in SVG: bars, with the numbers at their axes. Colours come from the page.
//!
//! Must not know: reports.

use std::fmt::Write as _;

use super::{markup::escaped, text::thousands};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 36.0;
/// Of the axis to the left.
const STEPS: u64 = 4;

/// Bars beside each other, each of pieces on top of each other.
pub(super) struct Bars<'a> {
    pub(super) title: &'a str,
    /// One class for each piece.
    pub(super) classes: &'a [&'a str],
    pub(super) bars: Vec<Bar>,
    /// Labels below: where, as a share of the width, and what.
    pub(super) labels: Vec<(f64, String)>,
    /// A line upwards, as a share of the width, with its label.
    pub(super) mark: Option<(f64, String)>,
}

pub(super) struct Bar {
    pub(super) pieces: Vec<u64>,
    /// Shown by a pointer that rests on it.
    pub(super) hint: String,
}

impl Bars<'_> {
    pub(super) fn svg(&self) -> String {
        let heights = self.bars.iter().map(|bar| bar.pieces.iter().sum());
        let top = round_up(heights.max().unwrap_or(0).max(1));
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{0}\"><title>{0}</title>\n",
            escaped(self.title)
        );
        push_grid(&mut svg, top);
        self.push_bars(&mut svg, top);
        self.push_labels(&mut svg);
        svg + "</svg>\n"
    }

    fn push_bars(&self, svg: &mut String, top: u64) {
        let step = plot_width() / self.bars.len().max(1) as f64;
        let width = if step > 4.0 { step - 1.5 } else { step };
        for (index, bar) in self.bars.iter().enumerate() {
            if bar.pieces.iter().all(|piece| *piece == 0) {
                continue;
            }
            let x = LEFT + step * index as f64;
            let _ = write!(svg, "<g><title>{}</title>", escaped(&bar.hint));
            let mut below = 0;
            for (piece, class) in bar.pieces.iter().zip(self.classes) {
                let (from, to) = (height_of(below, top), height_of(below + piece, top));
                let (y, height) = (HEIGHT - BOTTOM - to, to - from);
                let _ = write!(
                    svg,
                    "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
                );
                below += piece;
            }
            svg.push_str("</g>\n");
        }
    }

    fn push_labels(&self, svg: &mut String) {
        let y = HEIGHT - BOTTOM + 18.0;
        for (share, label) in &self.labels {
            let x = LEFT + plot_width() * share;
            let anchor = match *share {
                share if share <= 0.0 => "start",
                share if share >= 1.0 => "end",
                _ => "middle",
            };
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
                escaped(label)
            );
        }
        if let Some((share, label)) = &self.mark {
            let x = LEFT + plot_width() * share;
            let (anchor, text_x) = match *share > 0.6 {
                true => ("end", x - 5.0),
                false => ("start", x + 5.0),
            };
            let bottom = HEIGHT - BOTTOM;
            let _ = writeln!(
                svg,
                "<line class=\"mark\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\"/>\
                 <text x=\"{text_x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                TOP + 10.0,
                escaped(label)
            );
        }
    }
}

fn push_grid(svg: &mut String, top: u64) {
    for index in 0..=STEPS {
        let value = top * index / STEPS;
        let y = HEIGHT - BOTTOM - height_of(value, top);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y + 4.0,
            thousands(value)
        );
    }
}

fn plot_width() -> f64 {
    WIDTH - LEFT - RIGHT
}

fn height_of(value: u64, top: u64) -> f64 {
    (HEIGHT - TOP - BOTTOM) * value as f64 / top as f64
}

/// The next number of the kind 4, 8, 20, 40, 80, 200: its quarters are whole.
fn round_up(value: u64) -> u64 {
    let mut power: u64 = 4;
    loop {
        for factor in [1, 2, 5] {
            let candidate = power.saturating_mul(factor);
            if candidate >= value {
                return candidate;
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        let ends = [1, 4, 5, 9, 21, 399, 400, 401].map(round_up);
        assert_eq!(ends, [4, 4, 8, 20, 40, 400, 400, 800]);
        assert_eq!(round_up(u64::MAX), u64::MAX);
    }

    #[test]
    fn pieces_stand_on_top_of_each_other() {
        let plot = Bars {
            title: "a <title>",
            classes: &["one", "two"],
            bars: vec![Bar {
                pieces: vec![1, 3],
                hint: "1 & 3".to_owned(),
            }],
            labels: vec![(0.5, "<x>".to_owned())],
            mark: Some((0.5, "limit".to_owned())),
        };
        let svg = plot.svg();
        // A quarter and three quarters of 210, which begin at 224.
        assert!(
            svg.contains(r#"class="one" x="58.0" y="171.5" width="648.5" height="52.5""#),
            "{svg}"
        );
        assert!(
            svg.contains(r#"class="two" x="58.0" y="14.0" width="648.5" height="157.5""#),
            "{svg}"
        );
        assert!(
            svg.contains("&lt;x&gt;") && svg.contains("1 &amp; 3"),
            "{svg}"
        );
    }
}
