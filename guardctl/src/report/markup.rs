//! Text that becomes part of a page.
//!
//! Must not know: reports.

/// For text and for attributes in quotation marks. What a terminal or a reader would stumble over is gone as well.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in crate::output::shown(text, usize::MAX).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            character => escaped.push(character),
        }
    }
    escaped
}

/// A table; columns that are numbers stand to the right.
pub(super) fn table(caption: &str, heads: &[(&str, Column)], rows: &[Vec<String>]) -> String {
    let mut html = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table><caption>{0}</caption><thead><tr>",
        escaped(caption)
    );
    for (head, column) in heads {
        html += &format!("<th scope=\"col\"{}>{}</th>", column.class(), escaped(head));
    }
    html += "</tr></thead><tbody>\n";
    for row in rows {
        html += "<tr>";
        for (cell, (_, column)) in row.iter().zip(heads) {
            html += &format!("<td{}>{}</td>", column.class(), escaped(cell));
        }
        html += "</tr>\n";
    }
    html + "</tbody></table></div>\n"
}

/// What is in a column.
#[derive(Clone, Copy, Debug)]
pub(super) enum Column {
    Text,
    /// Of somebody else; it may be broken anywhere.
    Foreign,
    Number,
}

impl Column {
    fn class(self) -> &'static str {
        match self {
            Self::Text => "",
            Self::Foreign => " class=\"foreign\"",
            Self::Number => " class=\"number\"",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        let text = "<script>alert('1')</script> \"&amp;\u{1b}";
        let expected = "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &quot;&amp;amp;\\u{1b}";
        assert_eq!(escaped(text), expected);
        let html = table(text, &[(text, Column::Foreign)], &[vec![text.to_owned()]]);
        assert!(
            !html.contains("<script") && html.matches(expected).count() == 4,
            "{html}"
        );
    }
}
