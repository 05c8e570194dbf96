package htmlreport

import "sitewalk/scanner"

// meaning says what a verdict means, and what to do if the file should be listed.
type meaning struct{ Text, Mend string }

// meanings are those of the verdicts by which files are left out.
var meanings = [...]meaning{
	scanner.OwnOutput: {"Written by sitewalk: the sitemap itself.", ""},
	scanner.Symlink: {"A link, which is not followed.",
		"follow_symlinks: inside follows the links whose targets are in the docroot."},
	scanner.NotRegular: {"Neither a file nor a folder, but a pipe, a socket or a device.",
		"Take it out of the docroot."},
	scanner.Sensitive: {"Has a name that must not be published, such as .git, .env or *.bak, or is in a folder of such a name.",
		"If the web server shows it, take it out of the docroot. allow lists what it matches all the same."},
	scanner.Hidden: {"Has a name that begins with a dot, or is in a folder whose name does.",
		"allow lists what it matches all the same."},
	scanner.Excluded: {"Matches a pattern of exclude.",
		"Narrow the pattern that is named here."},
	scanner.NotIncluded: {"Matches no pattern of include, such as an image, a style sheet or a script.",
		"Add a pattern to include, if it is a page."},
	scanner.ErrorPage: {"What a server shows for an error, such as 404.html.",
		"Give it another name, if it is a page."},
	scanner.Protected: {"Refused to visitors by a .htaccess in its folder or above.",
		"Change the .htaccess line that is named here, if visitors may see it."},
	scanner.Rule: {"A rule says list: false.",
		"Narrow the rule, or let a later one say list: true."},
	scanner.Unencodable: {"Has a name that cannot be written in urls.charset.",
		"Rename it, or set urls.charset: bytes."},
	scanner.OutOfScope: {"Has a URL that is not below the folder of the sitemap, which may list nothing else.",
		"Publish the sitemap further up: look at output.dir, --out and base_url."},
	scanner.TooLong: {"Has a URL of 2,048 characters or more, which crawlers do not take.",
		"Shorten its name, or those of its folders."},
	scanner.Robots: {"Disallowed by robots.txt.",
		"Change the line of robots.txt that is named here, or set robots: {respect: false}."},
	scanner.Unreadable: {"Could not be read, or was removed meanwhile.",
		"Mend the permissions of the file and of its folders."},
	scanner.Redirect: {"Sends visitors elsewhere.",
		"Nothing, if the page that it leads to is listed. Else remove the refresh from its head."},
	scanner.NoIndex: {"Its head says noindex or none.",
		"Remove the tag that is named here, if search engines may show the page."},
	scanner.Expired: {"Its head says unavailable_after a date that is past.",
		"Remove or change that date, if the page is still good."},
	scanner.ResourceType: {"Its head says that it is another resource-type than document.",
		"Remove the tag that is named here, if it is a page."},
	scanner.Canonical: {"Names another page as the canonical one.",
		"Nothing, if that page is listed. Else correct the canonical link, or look at base_url."},
	scanner.Duplicate: {"Has a URL that another file has.",
		"Nothing, as a rule: the other file is listed. Else rename one of them."},
}
