package htaccess

// example is what an Apache 2.4.71 answered when it was asked for files of a
// folder.
type example struct {
	title   string
	files   []string // the .htaccess of the docroot, of a folder in it, and so on down to the folder
	served  []string // names of files
	refused []string
	// mistaken says that Apache gave an error for every file, and served and
	// refused are what this package makes of it.
	mistaken bool
}

var (
	page = []string{"page.html"}
	none []string
)

var examples = []example{
	// Require.
	{"no directives", []string{""}, page, none, false},
	{"all granted", []string{"Require all granted"}, page, none, false},
	{"all denied", []string{"Require all denied"}, none, page, false},
	{"valid user", []string{"AuthType Basic\nAuthName x\nAuthUserFile /nowhere\nRequire valid-user"}, none, page, false},
	{"user", []string{"AuthType Basic\nAuthName x\nRequire user anna bert"}, none, page, false},
	{"address", []string{"Require ip 192.0.2"}, none, page, false},
	{"host", []string{"Require host example.org"}, none, page, false},
	{"variable", []string{"Require env let_me_in"}, none, page, false},
	{"method", []string{"Require method POST GET"}, page, none, false},
	{"HEAD is GET", []string{"Require method HEAD"}, page, none, false},
	{"other method", []string{"Require method POST"}, none, page, false},
	{"any of two", []string{"Require valid-user\nRequire all granted"}, page, none, false},
	{"any of two, denied", []string{"Require all denied\nRequire ip 192.0.2.1"}, none, page, false},
	{"authentication without Require", []string{"AuthType Basic\nAuthName x\nAuthUserFile /nowhere"}, page, none, false},
	{"all of two", []string{"<RequireAll>\nRequire all granted\nRequire ip 192.0.2.1\n</RequireAll>"}, none, page, false},
	{"blocked address", []string{"<RequireAll>\nRequire all granted\nRequire not ip 192.0.2.1\n</RequireAll>"}, page, none, false},
	{"blocked address first", []string{"<RequireAll>\nRequire not ip 192.0.2.1\nRequire all granted\n</RequireAll>"}, page, none, false},
	{"not granted", []string{"<RequireAll>\nRequire all granted\nRequire not all granted\n</RequireAll>"}, none, page, false},
	{"not denied", []string{"<RequireAll>\nRequire all granted\nRequire not all denied\n</RequireAll>"}, page, none, false},
	{"only negative", []string{"<RequireAll>\nRequire not ip 192.0.2.1\n</RequireAll>"}, none, page, false},
	{"not method", []string{"<RequireAll>\nRequire all granted\nRequire not method GET\n</RequireAll>"}, none, page, false},
	{"not other method", []string{"<RequireAll>\nRequire all granted\nRequire not method POST\n</RequireAll>"}, page, none, false},
	{"none of blocked", []string{"<RequireAll>\nRequire all granted\n<RequireNone>\nRequire ip 192.0.2.1\nRequire env bad\n</RequireNone>\n</RequireAll>"}, page, none, false},
	{"none of all", []string{"<RequireAll>\nRequire all granted\n<RequireNone>\nRequire ip 192.0.2.1\nRequire all granted\n</RequireNone>\n</RequireAll>"}, none, page, false},
	{"nested", []string{"<RequireAny>\nRequire ip 192.0.2.1\n<RequireAll>\nRequire method GET\nRequire all granted\n</RequireAll>\n</RequireAny>"}, page, none, false},
	{"nested, denied", []string{"<RequireAll>\nRequire all granted\n<RequireAny>\nRequire ip 192.0.2.1\nRequire valid-user\n</RequireAny>\n</RequireAll>"}, none, page, false},
	{"group beside Require", []string{"Require all granted\n<RequireAll>\nRequire all denied\n</RequireAll>"}, page, none, false},

	// Order, Allow, Deny, Satisfy.
	{"deny from all", []string{"Deny from all"}, none, page, false},
	{"deny, then allow", []string{"Order deny,allow\nDeny from all"}, none, page, false},
	{"deny, then allow, both", []string{"Order deny,allow\nDeny from all\nAllow from all"}, page, none, false},
	{"deny, then allow an address", []string{"Order deny,allow\nDeny from all\nAllow from 192.0.2.1"}, none, page, false},
	{"deny an address", []string{"Order deny,allow\nDeny from 192.0.2.1 192.0.2.0/24 example.org"}, page, none, false},
	{"default order, both", []string{"Allow from all\nDeny from all"}, page, none, false},
	{"allow, then deny", []string{"Order allow,deny"}, none, page, false},
	{"allow, then deny, allowed", []string{"Order allow,deny\nAllow from all"}, page, none, false},
	{"allow, then deny, both", []string{"Order allow,deny\nAllow from all\nDeny from all"}, none, page, false},
	{"allow, then deny an address", []string{"Order allow,deny\nAllow from all\nDeny from 192.0.2.1"}, page, none, false},
	{"allow an address", []string{"Order allow,deny\nAllow from 192.0.2.1"}, none, page, false},
	{"mutual failure", []string{"Order mutual-failure\nAllow from 192.0.2.1"}, none, page, false},
	{"mutual failure, allowed", []string{"Order Mutual-Failure\nAllow from all"}, page, none, false},
	{"last order holds", []string{"Order allow,deny\nAllow from all\nDeny from all\nOrder deny,allow"}, page, none, false},
	{"all among others", []string{"Deny from 192.0.2.1 all"}, none, page, false},
	{"deny by variable", []string{"SetEnvIf User-Agent BadBot bad\nOrder allow,deny\nAllow from all\nDeny from env=bad"}, page, none, false},
	{"allow by variable", []string{"Order deny,allow\nDeny from all\nAllow from env=good"}, none, page, false},
	{"deny unless variable", []string{"Deny from env=!good"}, none, page, false},
	{"allow unless variable", []string{"Order allow,deny\nAllow from ENV=!bad"}, page, none, false},
	{"both kinds, denied by one", []string{"Require all granted\nDeny from all"}, none, page, false},
	{"both kinds, denied by other", []string{"Require all denied\nAllow from all"}, none, page, false},
	{"satisfy all", []string{"Satisfy all\nRequire valid-user\nAllow from all"}, none, page, false},
	{"satisfy any by access", []string{"Satisfy any\nRequire valid-user\nOrder allow,deny\nAllow from all"}, page, none, false},
	{"satisfy any by default", []string{"Satisfy Any\nRequire all denied"}, page, none, false},
	{"satisfy any by requirement", []string{"Satisfy any\nRequire all granted\nDeny from all"}, page, none, false},
	{"satisfy any without requirement", []string{"Satisfy any\nDeny from all"}, page, none, false},
	{"satisfy any by neither", []string{"AuthType Basic\nAuthName x\nAuthUserFile /nowhere\nSatisfy any\nRequire valid-user\nOrder deny,allow\nDeny from all\nAllow from 192.0.2.1"}, none, page, false},

	// Inheritance.
	{"inherited", []string{"Require all denied", "Options -Indexes", ""}, none, page, false},
	{"granted below", []string{"Require all denied", "Require all granted"}, page, none, false},
	{"denied below", []string{"Require all granted", "Require all denied"}, none, page, false},
	{"back and forth", []string{"Require all denied", "Require all granted", "Require valid-user"}, none, page, false},
	{"access replaced", []string{"Order allow,deny\nDeny from all", "Allow from 192.0.2.1"}, page, none, false},
	{"access replaced by Satisfy", []string{"Deny from all", "Satisfy all"}, page, none, false},
	{"Satisfy replaced by access", []string{"Satisfy any\nRequire valid-user", "Allow from all"}, none, page, false},
	{"kinds are inherited apart", []string{"Require all denied", "Order allow,deny\nAllow from all"}, none, page, false},
	{"Satisfy below", []string{"Require valid-user", "Satisfy any\nAllow from all"}, page, none, false},
	{"Require for POST replaces", []string{"Require all denied", "<Limit POST>\nRequire valid-user\n</Limit>"}, page, none, false},
	{"Order for POST replaces", []string{"Deny from all", "<Limit POST>\nOrder allow,deny\n</Limit>"}, page, none, false},

	// <Files>.
	{"files", []string{"<Files secret.html>\nRequire all denied\n</Files>"}, page, []string{"secret.html"}, false},
	{"files, quoted", []string{"<Files \"my secret.html\">\nRequire all denied\n</Files>"}, page, []string{"my secret.html"}, false},
	{"files, several names", []string{"<Files \"*.h?ml\">\nRequire all denied\n</Files>"}, []string{"a.txt", "a.hml"}, []string{"a.html", ".html"}, false},
	{"files, class", []string{"<Files \"[a-cx]?[!0-9]\">\nDeny from all\n</Files>"}, []string{"d.a", "a.1", "a.ab"}, []string{"a.a", "b..", "x.-"}, false},
	{"files by expression", []string{"<Files ~ \"^(a|b)\\.html$\">\nOrder allow,deny\nDeny from all\n</Files>"}, []string{"c.html", "xa.html"}, []string{"a.html", "b.html"}, false},
	{"files by match", []string{"<FilesMatch \"\\.(inc|bak)$\">\nRequire all denied\n</FilesMatch>"}, []string{"a.html", "inc"}, []string{"a.inc", "a.html.bak"}, false},
	{"match is no whole match", []string{"<FilesMatch secret>\nRequire all denied\n</FilesMatch>"}, page, []string{"my-secret.html"}, false},
	{"case of names matters", []string{"<Files A.html>\nRequire all denied\n</Files>\n<FilesMatch ^B>\nRequire all denied\n</FilesMatch>"}, []string{"a.html", "b.html"}, []string{"A.html", "B.html"}, false},
	{"any case by expression", []string{"<FilesMatch \"(?i)\\.html$\">\nRequire all denied\n</FilesMatch>"}, []string{"a.txt"}, []string{"A.HTML"}, false},
	{"all but one by section", []string{"Require all denied\n<Files index.html>\nRequire all granted\n</Files>"}, []string{"index.html"}, page, false},
	{"section before plain directive", []string{"<Files index.html>\nRequire all granted\n</Files>\nRequire all denied"}, []string{"index.html"}, page, false},
	{"later section holds", []string{"<Files *.html>\nRequire all denied\n</Files>\n<Files a.html>\nRequire all granted\n</Files>"}, []string{"a.html"}, []string{"b.html"}, false},
	{"sections of other kinds", []string{"<Files *.html>\nDeny from all\n</Files>\n<Files a.html>\nRequire all granted\n</Files>"}, none, []string{"a.html", "b.html"}, false},
	{"section is inherited", []string{"<Files a.html>\nRequire all denied\n</Files>", ""}, page, []string{"a.html"}, false},
	{"section outlives plain directive below", []string{"<Files a.html>\nRequire all denied\n</Files>", "Require all granted"}, page, []string{"a.html"}, false},
	{"section below replaces", []string{"<Files a.html>\nRequire all denied\n</Files>", "<Files a.html>\nRequire all granted\n</Files>"}, []string{"a.html"}, none, false},
	{"Require in section replaces", []string{"Require all denied\n<Files *.html>\nRequire method GET\n</Files>"}, []string{"a.html"}, []string{"a.txt"}, false},
	{"nested sections are for none", []string{"<Files *.html>\n<Files a.html>\nRequire all denied\n</Files>\n</Files>"}, []string{"a.html", "b.html"}, none, false},
	{"all but by lookahead", []string{"<FilesMatch \"^(?!index\\.html$)\">\nRequire all denied\n</FilesMatch>"}, []string{"index.html"}, []string{"a.html", "index.htm"}, false},
	{"all but by lookaheads", []string{"<FilesMatch \"^(?!robots\\.txt)(?!(?:a|b[)]?)\\.html$).*\\.(html|txt)$\">\nRequire all denied\n</FilesMatch>"}, []string{"robots.txt", "a.html", "b).html", "x.css"}, []string{"c.html", "a.txt"}, false},
	{"lookahead that must match", []string{"<FilesMatch \"^(?=.*secret).*\\.html$\">\nRequire all denied\n</FilesMatch>"}, []string{"a.html", "secret.txt"}, []string{"my-secret.html"}, false},
	{"newline in a name", []string{"<FilesMatch \"^a.b$\">\nRequire all denied\n</FilesMatch>"}, []string{"a\nb\n"}, []string{"a\nb"}, false},
	{"bytes that are not UTF-8", []string{"<Files \"\xfcber?\">\nRequire all denied\n</Files>"}, []string{"uber1"}, []string{"\xfcber\xe4"}, false},
	{"set in class", []string{"<Files \"[]x][\\]a-][^!-]\">\nRequire all denied\n</Files>"}, []string{"]b."}, []string{"]].", "xaa", "x-a"}, false},
	{"escapes in wildcard", []string{"<Files \"\\a\\*?[\\!-\\#]\">\nRequire all denied\n</Files>"}, []string{"axb\"", "a*b$"}, []string{"a*b\"", "a*c!"}, false},
	{"backslash without wildcard", []string{"<Files \"a\\*\">\nRequire all denied\n</Files>"}, []string{"a*", "ab"}, []string{"a\\*"}, false},
	{"bracket that is not closed", []string{"<Files \"[a*\">\nRequire all denied\n</Files>"}, []string{"a"}, []string{"[a", "[ab"}, false},
	{"stars", []string{"<Files \"a**b*ab\">\nRequire all denied\n</Files>"}, []string{"ab", "aab"}, []string{"abab", "axbabxab", "ababab"}, false},
	{"slash matches no name", []string{"<Files \"a/[!/]*\">\nRequire all denied\n</Files>"}, []string{"a"}, none, false},

	// Other sections.
	{"both generations", []string{"<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>\n<IfModule !mod_authz_core.c>\nOrder allow,deny\nDeny from all\n</IfModule>"}, none, page, false},
	{"both generations, granted", []string{"Require all denied", "<IfModule mod_authz_core.c>\nRequire all granted\n</IfModule>\n<IfModule !mod_authz_core.c>\nOrder allow,deny\nDeny from all\n</IfModule>"}, page, none, false},
	{"module of the first generation", []string{"<IfModule mod_access_compat.c>\nDeny from all\n</IfModule>"}, none, page, false},
	{"nested conditions", []string{"<IfModule mod_rewrite.c>\n<IfModule !mod_rewrite.c>\n<IfModule mod_rewrite.c>\nDeny from all\n</IfModule>\nDeny from all\n</IfModule>\n</IfModule>"}, page, none, false},
	{"version", []string{"<IfVersion >= 2.4>\nRequire all denied\n</IfVersion>\n<IfVersion < 2.4>\nDeny from all\n</IfVersion>"}, none, page, false},
	{"version of old", []string{"<IfVersion < 2.4>\nDeny from all\n</IfVersion>\n<IfVersion 2.2.3>\nDeny from all\n</IfVersion>\n<IfVersion !> 2>\nDeny from all\n</IfVersion>\n<IfVersion = 2.4>\nDeny from all\n</IfVersion>"}, page, none, false},
	{"version in quotes", []string{"<IfVersion > \"2.3\">\nDeny from all\n</IfVersion>"}, none, page, false},
	{"version by negation", []string{"<IfVersion !<= 2.3.999>\nDeny from all\n</IfVersion>"}, none, page, false},
	{"define", []string{"<IfDefine STAGING>\nDeny from all\n</IfDefine>"}, page, none, false},
	{"no define", []string{"<IfDefine !PRODUCTION>\nDeny from all\n</IfDefine>"}, none, page, false},
	{"file", []string{"<IfFile /nowhere>\nDeny from all\n</IfFile>"}, page, none, false},
	{"known directive", []string{"<IfDirective Require>\nRequire all denied\n</IfDirective>"}, none, page, false},
	{"known section", []string{"<IfSection !Files>\nRequire all denied\n</IfSection>"}, page, none, false},
	{"if", []string{"<If \"%{HTTP_HOST} == 'staging.example.org'\">\nRequire all denied\n</If>\n<ElseIf false>\nRequire all denied\n<Files *>\nDeny from all\n</Files>\n</ElseIf>"}, page, none, false},
	{"limit to GET", []string{"<Limit GET POST>\nRequire valid-user\n</Limit>"}, none, page, false},
	{"limit to HEAD is to GET", []string{"<Limit HEAD>\nDeny from all\n</Limit>"}, none, page, false},
	{"limit to others", []string{"<Limit PUT DELETE>\nOrder deny,allow\nDeny from all\n</Limit>\n<Limit POST>\nRequire valid-user\n</Limit>"}, page, none, false},
	{"limit except GET", []string{"<LimitExcept GET POST>\nDeny from all\nRequire valid-user\n</LimitExcept>"}, page, none, false},
	{"limit except others", []string{"<LimitExcept OPTIONS>\nRequire valid-user\n</LimitExcept>"}, none, page, false},
	{"limits and others", []string{"<LimitExcept GET>\nRequire valid-user\n</LimitExcept>\nRequire all denied"}, none, page, false},
	{"limited order does not count", []string{"Order deny,allow\n<Limit POST>\nOrder allow,deny\nSatisfy any\n</Limit>"}, page, none, false},
	{"group in limit", []string{"<Limit POST>\n<RequireAll>\nRequire all denied\nRequire valid-user\n</RequireAll>\n</Limit>"}, page, none, false},
	{"limit in group", []string{"<RequireAll>\nRequire all granted\n<Limit POST>\nRequire all denied\n</Limit>\n</RequireAll>"}, page, none, false},
	{"condition in group", []string{"<RequireAll>\nRequire all granted\n<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>\n</RequireAll>"}, none, page, false},

	// How lines are read.
	{"any case", []string{"ORDER Deny,Allow\ndEnY FROM ALL"}, none, page, false},
	{"any case of sections", []string{"<FILES \"*\">\nREQUIRE all DENIED\n</fiLes>"}, none, page, false},
	{"space", []string{"\t Require\t \vall   denied \r\n\r\n"}, none, page, false},
	{"quotes", []string{"\"Deny\" 'from' \"all\""}, none, page, false},
	{"comments", []string{"# Deny from all\n  #Deny from all"}, page, none, false},
	{"continuation", []string{"Deny \\\nfrom\\\r\n all"}, none, page, false},
	{"continued comment", []string{"# no more: \\\nDeny from all"}, page, none, false},
	{"continued to the end", []string{"Deny from all\\\n"}, none, page, false},
	{"NUL", []string{"Require all denied\x00 \\\nRequire all granted\x00"}, page, none, false},
	{"NUL in front", []string{"\x00Deny from all\nSatisfy\x00"}, page, none, true},
	{"escaped backslash", []string{"<Files \"a\\\\\\\\*\">\nDeny from all\n</Files>"}, []string{"a*"}, []string{"a\\b"}, false},
	{"escaped quote", []string{"<Files \"a\\\"b\">\nDeny from all\n</Files>"}, []string{"a\\"}, []string{"a\"b"}, false},

	// Mistakes, which Apache does not forgive.
	{"byte-order mark", []string{"\ufeffDeny from all"}, none, page, true},
	{"space in order", []string{"Order deny, allow\nDeny from all"}, none, page, true},
	{"unknown order", []string{"Order allow\nAllow from all"}, page, none, true},
	{"comment after directive", []string{"Require all granted # everybody"}, page, none, true},
	{"unknown requirement", []string{"Require magic"}, none, page, true},
	{"empty requirement", []string{"Require"}, none, page, true},
	{"negative on its own", []string{"Require not ip 192.0.2.1\nRequire all granted"}, page, none, true},
	{"empty group", []string{"Require all granted\n<RequireAll>\n</RequireAll>"}, page, none, true},
	{"unclosed section", []string{"<Files \"*.html\">\nRequire all denied"}, []string{"a.txt"}, page, true},
	{"bracket is missing", []string{"<Files \"*.html\"\nRequire all denied\n</Files>"}, []string{"a.txt"}, page, true},
	{"wrong closing tag", []string{"<FilesMatch \"^a\">\nRequire all denied\n</Files>\nRequire all granted"}, page, []string{"a.html"}, true},
	{"stray closing tag", []string{"</Files>\nRequire all denied"}, none, page, true},
	{"unknown section", []string{"<Directory /var/www>\nRequire all denied\n</Directory>"}, page, none, true},
	{"unknown expression", []string{"<FilesMatch \"(\">\nRequire all denied\n</FilesMatch>"}, page, none, true},
	{"no name", []string{"<Files>\nRequire all denied\n</Files>"}, page, none, true},
	{"method in lower case", []string{"<Limit get>\nRequire all denied\n</Limit>"}, none, page, true},
	{"no from", []string{"Deny all"}, none, page, true},
	{"bad version", []string{"<IfVersion >= two>\nDeny from all\n</IfVersion>"}, none, page, true},

	// Beyond what Go's expressions can do. Apache serves some of what is refused.
	{"lookbehind", []string{"<FilesMatch \"(?<!x)\\.html$\">\nRequire all denied\n</FilesMatch>"}, []string{"a.txt"}, page, false},
	{"lookahead of one alternative", []string{"<FilesMatch \"^(?!a)c|b\">\nRequire all denied\n</FilesMatch>"}, []string{"a.html"}, []string{"c.html", "ab.html"}, false},
	{"lookahead inside", []string{"<FilesMatch \"^([(?!]\\.(?!well-known).*|b(?=[)(]))$\">\nRequire all denied\n</FilesMatch>"}, []string{".a", "b("}, []string{"(.a", "?.git"}, false},
	{"lookahead in lookahead", []string{"<FilesMatch \"^(?!a(?!b))[ac]\">\nRequire all denied\n</FilesMatch>"}, []string{"b"}, []string{"ab", "c"}, false},

	// Found in many sites.
	{"WordPress", []string{wordPress}, []string{"page.html", "readme.html"}, none, false},
	{"Drupal", []string{drupal}, []string{"page.html", "engine.html"}, []string{"a.engine", "web.config", "b.php~", ".git"}, false},
	{"Laravel", []string{laravel}, page, none, false},
	{"hidden files", []string{"<Files \".ht*\">\n  Require all denied\n</Files>"}, []string{"page.html", "x.ht"}, []string{".htusers"}, false},
	{"hidden files of old", []string{"<FilesMatch \"^\\.\">\n  Order allow,deny\n  Deny from all\n  Satisfy All\n</FilesMatch>"}, page, []string{".hidden.html"}, false},
	{"staging", []string{staging}, none, page, false},
	{"staging with a way round", []string{stagingWithExceptions}, []string{"robots.txt"}, page, false},
	{"uploads", []string{wordPress, "<FilesMatch \"\\.(php[0-9]?|phtml|phar)$\">\nOrder Deny,Allow\nDeny from All\n</FilesMatch>"}, page, []string{"a.php5"}, false},
}

const wordPressRewriting = `
# BEGIN WordPress
# The directives between "BEGIN WordPress" and "END WordPress" are generated.
<IfModule mod_rewrite.c>
RewriteEngine On
RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]
RewriteBase /
RewriteRule ^index\.php$ - [L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule . /index.php [L]
</IfModule>
# END WordPress
`

const wordPress = wordPressRewriting + `
<Files xmlrpc.php>
order deny,allow
deny from all
</Files>
<IfModule mod_deflate.c>
<FilesMatch "\.(html|css)$">
SetOutputFilter DEFLATE
</FilesMatch>
</IfModule>
`

const drupal = `
# Protect files and directories from prying eyes.
<FilesMatch "\.(engine|inc|install|make|module|profile|po|sh|.*sql|theme|twig|tpl(\.php)?|xtmpl|yml)(~|\.sw[op]|\.bak|\.orig|\.save)?$|^(\.(?!well-known).*|Entries.*|Repository|Root|Tag|Template|composer\.(json|lock)|web\.config)$|^#.*#$|\.php(~|\.sw[op]|\.bak|\.orig|\.save)$">
  <IfModule mod_authz_core.c>
    Require all denied
  </IfModule>
  <IfModule !mod_authz_core.c>
    Order allow,deny
  </IfModule>
</FilesMatch>
Options -Indexes
ErrorDocument 404 /index.php
`

const laravel = `
<IfModule mod_rewrite.c>
    <IfModule mod_negotiation.c>
        Options -MultiViews -Indexes
    </IfModule>
    RewriteEngine On
    RewriteCond %{HTTP:Authorization} .
    RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]
</IfModule>
`

const staging = `
AuthType Basic
AuthName "Staging \
server"
AuthUserFile "/home/example/.htpasswd"
AuthGroupFile /dev/null
<Limit GET POST>
require valid-user
</Limit>
`

const stagingWithExceptions = `
AuthType Basic
AuthName "Restricted Area"
AuthUserFile /home/example/.htpasswd
Order deny,allow
Deny from all
Allow from 192.0.2.10
<Files robots.txt>
Satisfy any
Allow from all
</Files>
Require valid-user
Satisfy any
`
