//! Paths nobody asks for by accident: files and panels of software that this application isn't.
//!
//! `paths.txt` lists them, in groups; a group is a rule. Names that are read as topics as well (`/tags/.htaccess`) are not
//! flagged as such. Scripts of other languages are not probes as such either: links from what the site was before (`/index.php`,
//! `/wp-content/uploads/…`) bring honest visitors.
//! Must not know: how a path was decoded, or which routes there are; a match answers for one pattern whether it names what was
//! found.

mod entry;
mod segments;
mod table;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use entry::Entry;
use segments::Lowercase;
use table::Table;

/// The groups of `paths.txt`.
pub(super) const RULES: &[&str] = &[
    // Files of settings that begin with a dot: .env, .htpasswd, .npmrc.
    "probe.dotfile",
    // Folders of version control: .git, .svn.
    "probe.vcs",
    // Passwords and keys in files: id_rsa, wp-config.php, .aws/credentials.
    "probe.credentials",
    // Dumps, archives and copies left behind by editors.
    "probe.backup",
    // Content management systems: WordPress, Joomla, Drupal, and editors that were uploaded through.
    "probe.cms",
    // Panels of databases and servers: phpMyAdmin, Tomcat, Spring Boot, Solr.
    "probe.admin",
    // Appliances: routers, cameras, VPN gateways, mail servers.
    "probe.device",
    // What tells of the server: phpinfo.php, server-status.
    "probe.information",
    // Programs known for holes that run any code.
    "probe.exploit",
    // What an intruder has left behind, tried by the next one.
    "probe.webshell",
    // Paths of the metadata services of clouds: somebody hopes for a proxy.
    "probe.metadata",
];

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::new(built_in()));

/// A probe, and what of the path was one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Match {
    entry: &'static Entry,
}

impl Match {
    pub(in crate::detect) fn rule(self) -> &'static str {
        self.entry.rule()
    }

    /// Whether the pattern of a route names by a literal segment what was found: then the application has it, and the request
    /// is none of a stranger. `pattern` is the full one of the route that the path leads to.
    ///
    /// `/wp-admin/{tail}*` names `wp-admin`, `/{page}.php` the ending `.php`; `/{slug}` and `/static/{file:.*}` name neither.
    pub(crate) fn is_named_by(self, pattern: &str) -> bool {
        self.entry.is_named_by(pattern)
    }
}

/// The first probe in a path that is decoded, wholly or as far as the router does; each way to decode it is a path of its own.
pub(super) fn inspect(path: &[u8]) -> Option<Match> {
    let lowercase = Lowercase::of(path);
    let entry = TABLE.find(&lowercase.segments())?;
    Some(Match { entry })
}

/// The entries of `paths.txt`; a test sees to it that each line is one.
fn built_in() -> impl Iterator<Item = Entry> {
    let mut rule = "";
    let lines = include_str!("paths.txt").lines();
    lines.filter_map(move |line| {
        if let Some(name) = line.strip_prefix('[') {
            rule = name.trim_end_matches(']');
            return None;
        }
        (!line.is_empty() && !line.starts_with('#'))
            .then(|| Entry::parse(rule, line))
            .flatten()
    })
}
