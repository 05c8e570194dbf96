//go:build unix

package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browserTimeout bounds what a test does with a browser.
const browserTimeout = 4 * time.Minute

// startBrowser starts a Chromium without a window, and returns a context for [openPage].
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(program(t, "chromium")), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(browserTimeout),
	}
	for _, flag := range []string{"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync", "disable-dev-shm-usage"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	ctx, stop := context.WithTimeout(context.Background(), browserTimeout)
	ctx, _ = chromedp.NewExecAllocator(ctx, options...)
	ctx, _ = chromedp.NewContext(ctx)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil { // which waits for its end
			t.Error(err)
		}
		stop()
	})
	act(t, ctx)
	return ctx
}

// openPage opens a file in a tab of its own, does what comes first, and fails the test at
// its end for each complaint of the browser and each request beyond the file itself.
func openPage(t *testing.T, browser context.Context, file string, before ...action) context.Context {
	t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	address := (&url.URL{Scheme: "file", Path: path}).String()
	tab, cancel := chromedp.NewContext(browser)
	var mu sync.Mutex
	var complaints []string
	complain := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		complaints = append(complaints, fmt.Sprintf(format, args...))
	}
	err = chromedp.Listen(tab, func(event any) {
		switch event := event.(type) {
		case *runtime.EventConsoleAPICalled:
			complain("console.%s is called", event.Type)
		case *runtime.EventExceptionThrown:
			complain("exception: %s", event.ExceptionDetails.Text)
		case *log.EventEntryAdded: // among others, what the Content-Security-Policy forbids
			complain("%s: %s", event.Entry.Source, event.Entry.Text)
		case *network.EventRequestWillBeSent:
			if event.Request.URL != address && event.Request.URL != "data:," {
				complain("%s is asked for", event.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		mu.Lock()
		defer mu.Unlock()
		for _, complaint := range complaints {
			t.Error(complaint)
		}
	})
	before = append(before, send(log.Enable, cdp.Empty{}), send(network.Enable, network.EnableParams{}), chromedp.Navigate(address))
	act(t, tab, before...)
	return tab
}

// action is something that is done in a tab.
type action = chromedp.Action[chromedp.Void]

// send returns a command of the protocol as an action.
func send[Parameters any](of cdp.Command[Parameters, cdp.Empty], parameters Parameters) action {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, of, parameters)
		return err
	})
}

// act does something in a tab.
func act(t *testing.T, tab context.Context, actions ...action) {
	t.Helper()
	if err := chromedp.Do(tab, actions...); err != nil {
		t.Fatal(err)
	}
}

// evaluate returns the value of an expression in a page.
func evaluate[Value any](t *testing.T, tab context.Context, expression string) Value {
	t.Helper()
	value, err := chromedp.Run(tab, chromedp.Evaluate[Value](expression))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// wantValue fails the test unless an expression comes to have a value.
func wantValue(t *testing.T, tab context.Context, expression, want string) {
	t.Helper()
	got := ""
	for end := time.Now().Add(timeout); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if got = evaluate[string](t, tab, "String("+expression+")"); got == want {
			return
		}
	}
	t.Fatalf("%s is %q, not %q", expression, got, want)
}

// press types keys into what has the focus.
func press(t *testing.T, tab context.Context, keys ...string) {
	t.Helper()
	act(t, tab, chromedp.KeyEvent(strings.Join(keys, "")))
}

// writeReport writes the report of a docroot into a folder of its own.
func writeReport(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(publicDir(t), "report.html")
	done := execute(t, append([]string{"report", "--no-state", "--output", file}, args...)...)
	if done.code != exitDone {
		t.Fatalf("exit code is %d\n%s%s", done.code, done.stdout, done.stderr)
	}
	if os.Geteuid() == 0 { // for a browser that is another user
		if err := os.Chmod(file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return file
}
