package head

// element is an element that the scanner treats in a way of its own.
type element uint8

const (
	otherElement element = iota
	baseElement
	basefontElement
	bgsoundElement
	bodyElement
	brElement
	headElement
	htmlElement
	iframeElement
	imgElement
	linkElement
	metaElement
	noembedElement
	noframesElement
	noscriptElement
	plaintextElement
	scriptElement
	styleElement
	templateElement
	textareaElement
	titleElement
	xmpElement
)

// longestElement is the length of the longest name that lookupElement knows.
const longestElement = len("plaintext")

// lookupElement returns the element of a name in lower case.
func lookupElement(name []byte) element {
	switch string(name) {
	case "base":
		return baseElement
	case "basefont":
		return basefontElement
	case "bgsound":
		return bgsoundElement
	case "body":
		return bodyElement
	case "br":
		return brElement
	case "head":
		return headElement
	case "html":
		return htmlElement
	case "iframe":
		return iframeElement
	case "img":
		return imgElement
	case "link":
		return linkElement
	case "meta":
		return metaElement
	case "noembed":
		return noembedElement
	case "noframes":
		return noframesElement
	case "noscript":
		return noscriptElement
	case "plaintext":
		return plaintextElement
	case "script":
		return scriptElement
	case "style":
		return styleElement
	case "template":
		return templateElement
	case "textarea":
		return textareaElement
	case "title":
		return titleElement
	case "xmp":
		return xmpElement
	}
	return otherElement
}

// inHead reports whether a start tag of the element may stand in a head; any
// other ends it. https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inhead
func (e element) inHead() bool {
	switch e {
	case baseElement, basefontElement, bgsoundElement, headElement, htmlElement, linkElement, metaElement, noframesElement, noscriptElement, scriptElement, styleElement, templateElement, titleElement:
		return true
	}
	return false
}

// endsHead reports whether an end tag of the element ends a head; any other is
// ignored there.
func (e element) endsHead() bool {
	return e == headElement || e == htmlElement || e == bodyElement || e == brElement
}

// rawName returns the name of an element whose content is text and not markup,
// and "" for the others. A noscript is one of them, as for a browser that runs
// scripts: what stands there is not for such browsers.
func (e element) rawName() string {
	switch e {
	case iframeElement:
		return "iframe"
	case noembedElement:
		return "noembed"
	case noframesElement:
		return "noframes"
	case noscriptElement:
		return "noscript"
	case plaintextElement:
		return "plaintext"
	case scriptElement:
		return "script"
	case styleElement:
		return "style"
	case textareaElement:
		return "textarea"
	case titleElement:
		return "title"
	case xmpElement:
		return "xmp"
	}
	return ""
}
