//! The tools, each with a text that is in its user agent and where the tool is from.
//!
//! The texts were compared with `rules/scanners-user-agents.data` of the OWASP CRS. Left out of it: names that are also of
//! devices (Vega) or of services that a site's owner hires, and plain mistakes (`user-agent`).
//! Must not know: how they are searched for.

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) rule: &'static str,
    pub(super) text: &'static str,
    /// For whoever keeps the list; a test reads it too.
    #[cfg_attr(not(test), expect(dead_code, reason = "documentation"))]
    pub(super) source: &'static str,
}

const fn tool(rule: &'static str, text: &'static str, source: &'static str) -> Tool {
    Tool { rule, text, source }
}

pub(super) const TOOLS: &[Tool] = &[
    tool(
        "scanner.sqlmap",
        "sqlmap/",
        "https://github.com/sqlmapproject/sqlmap",
    ),
    tool("scanner.nikto", "nikto", "https://github.com/sullo/nikto"),
    tool(
        "scanner.nuclei",
        "nuclei",
        "https://github.com/projectdiscovery/nuclei",
    ),
    tool(
        "scanner.masscan",
        "masscan",
        "https://github.com/robertdavidgraham/masscan",
    ),
    tool("scanner.zgrab", "zgrab", "https://github.com/zmap/zgrab2"),
    tool(
        "scanner.wpscan",
        "wpscan",
        "https://github.com/wpscanteam/wpscan",
    ),
    tool(
        "scanner.wprecon",
        "wprecon",
        "https://github.com/blackcrw/wprecon",
    ),
    tool(
        "scanner.wpprobe",
        "wpprobe",
        "https://github.com/Chocapikk/wpprobe",
    ),
    tool(
        "scanner.dirbuster",
        "dirbuster",
        "https://owasp.org/www-project-dirbuster/",
    ),
    tool(
        "scanner.dirsearch",
        "dirsearch",
        "https://github.com/maurosoria/dirsearch",
    ),
    tool(
        "scanner.gobuster",
        "gobuster",
        "https://github.com/OJ/gobuster",
    ),
    tool(
        "scanner.feroxbuster",
        "feroxbuster",
        "https://github.com/epi052/feroxbuster",
    ),
    tool(
        "scanner.ffuf",
        "fuzz faster u fool",
        "https://github.com/ffuf/ffuf",
    ),
    tool("scanner.wfuzz", "wfuzz", "https://github.com/xmendez/wfuzz"),
    tool("scanner.acunetix", "acunetix", "https://www.acunetix.com/"),
    tool(
        "scanner.netsparker",
        "netsparker",
        "https://www.invicti.com/",
    ),
    tool("scanner.invicti", "invicti", "https://www.invicti.com/"),
    tool(
        "scanner.nessus",
        "nessus",
        "https://www.tenable.com/products/nessus",
    ),
    tool("scanner.openvas", "openvas", "https://www.openvas.org/"),
    tool("scanner.qualys", "qualysguard", "https://www.qualys.com/"),
    tool(
        "scanner.appscan",
        "compatible; appscan",
        "https://www.hcl-software.com/appscan",
    ),
    tool(
        "scanner.appspider",
        "appspider",
        "https://docs.rapid7.com/appspider/",
    ),
    tool("scanner.nstalker", "n-stalker", "https://www.nstalker.com/"),
    tool(
        "scanner.nmap",
        "nmap scripting engine",
        "https://nmap.org/book/nse.html",
    ),
    tool(
        "scanner.arachni",
        "arachni/",
        "https://github.com/Arachni/arachni",
    ),
    tool(
        "scanner.w3af",
        "w3af.org",
        "https://github.com/andresriancho/w3af",
    ),
    tool(
        "scanner.wapiti",
        "wapiti",
        "https://github.com/wapiti-scanner/wapiti",
    ),
    tool(
        "scanner.skipfish",
        "skipfish",
        "https://code.google.com/archive/p/skipfish/",
    ),
    tool(
        "scanner.whatweb",
        "whatweb",
        "https://github.com/urbanadventurer/WhatWeb",
    ),
    tool(
        "scanner.whatwaf",
        "whatwaf",
        "https://github.com/Ekultek/WhatWaf",
    ),
    tool(
        "scanner.commix",
        "commix/",
        "https://github.com/commixproject/commix",
    ),
    tool(
        "scanner.fimap",
        "fimap",
        "https://github.com/kurobeats/fimap",
    ),
    tool(
        "scanner.havij",
        "havij",
        "https://github.com/coreruleset/coreruleset/blob/main/rules/scanners-user-agents.data",
    ),
    tool(
        "scanner.sqlninja",
        "sqlninja",
        "https://sqlninja.sourceforge.net/",
    ),
    tool(
        "scanner.jsql",
        "jsql",
        "https://github.com/ron190/jsql-injection",
    ),
    tool(
        "scanner.ghauri",
        "ghauri",
        "https://github.com/r0oth3x49/ghauri",
    ),
    tool("scanner.xsser", "xsser", "https://github.com/epsylon/xsser"),
    tool(
        "scanner.xsstrike",
        "xsstrike",
        "https://github.com/s0md3v/XSStrike",
    ),
    tool(
        "scanner.joomscan",
        "joomscan",
        "https://github.com/OWASP/joomscan",
    ),
    tool(
        "scanner.droopescan",
        "droopescan",
        "https://github.com/SamJoan/droopescan",
    ),
    tool(
        "scanner.cmsmap",
        "cmsmap",
        "https://github.com/dionach/CMSmap",
    ),
    tool(
        "scanner.hydra",
        "mozilla/4.0 (hydra)",
        "https://github.com/vanhauser-thc/thc-hydra",
    ),
    tool(
        "scanner.dotdotpwn",
        "dotdotpwn",
        "https://github.com/wireghoul/dotdotpwn",
    ),
    tool("scanner.bfac", "bfac", "https://github.com/mazen160/bfac"),
    tool(
        "scanner.jaeles",
        "jaeles",
        "https://github.com/jaeles-project/jaeles",
    ),
    tool(
        "scanner.nettacker",
        "nettacker",
        "https://github.com/OWASP/Nettacker",
    ),
    tool(
        "scanner.tsunami",
        "tsunamisecurityscanner",
        "https://github.com/google/tsunami-security-scanner",
    ),
    tool(
        "scanner.l9explore",
        "l9explore",
        "https://github.com/LeakIX/l9explore",
    ),
    tool(
        "scanner.l9tcpid",
        "l9tcpid",
        "https://github.com/LeakIX/l9tcpid",
    ),
    tool(
        "scanner.tplmap",
        "tplmap",
        "https://github.com/epinna/tplmap",
    ),
    tool(
        "scanner.sstimap",
        "sstimap",
        "https://github.com/vladko312/SSTImap",
    ),
    tool(
        "scanner.graphw00f",
        "graphw00f",
        "https://github.com/dolevf/graphw00f",
    ),
    tool(
        "scanner.zmeu",
        "zmeu",
        "https://github.com/coreruleset/coreruleset/blob/main/rules/scanners-user-agents.data",
    ),
    tool(
        "scanner.jorgee",
        "jorgee",
        "https://github.com/coreruleset/coreruleset/blob/main/rules/scanners-user-agents.data",
    ),
    tool(
        "scanner.morfeus",
        "morfeus",
        "https://github.com/coreruleset/coreruleset/blob/main/rules/scanners-user-agents.data",
    ),
    tool(
        "scanner.webshag",
        "webshag",
        "https://github.com/coreruleset/coreruleset/blob/main/rules/scanners-user-agents.data",
    ),
    tool(
        "scanner.libwhisker",
        "libwhisker",
        "https://sourceforge.net/projects/whisker/",
    ),
];
