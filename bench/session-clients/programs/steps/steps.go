// Package steps is what the programs in Go have in common.
package steps

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// DownloadHandle is the handle by which IO.read finds the download of the site.
const DownloadHandle = "/downloads/report.txt"

const stepTime = 30 * time.Second

// Setting returns a setting of the run, such as the URL of the session.
func Setting(name string) string { return os.Getenv("WINNOW_CLIENT_" + name) }

type outcome struct {
	Step  string `json:"step"`
	Value any    `json:"value,omitempty"`
	Error string `json:"error,omitempty"`
}

// Step performs a step, and prints what it returned or the message of its error.
func Step(name string, perform func() (any, error)) {
	ended := make(chan outcome, 1)
	go func() {
		value, err := perform()
		if err != nil {
			ended <- outcome{Step: name, Error: err.Error()}
			return
		}
		if value == nil {
			value = "done"
		}
		ended <- outcome{Step: name, Value: value}
	}()
	var result outcome
	select {
	case result = <-ended:
	case <-time.After(stepTime):
		result = outcome{Step: name, Error: fmt.Sprintf("nothing for %v", stepTime)}
	}
	line, _ := json.Marshal(result)
	fmt.Println(string(line))
}

// EndSession has the session deleted.
func EndSession() error {
	response, err := http.Get(Setting("END_SESSION"))
	if err == nil {
		err = response.Body.Close()
	}
	return err
}

// Upload uploads the file of the client's machine to the session.
func Upload() error {
	content, err := os.ReadFile(Setting("FILE"))
	if err != nil {
		return err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", filepath.Base(Setting("FILE")))
	if err != nil {
		return err
	}
	if _, err = part.Write(content); err != nil {
		return err
	}
	if err = form.Close(); err != nil {
		return err
	}
	url := strings.Replace(Setting("URL"), "ws", "http", 1) + "/files"
	response, err := http.Post(url, form.FormDataContentType(), &body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		return errors.New(string(text))
	}
	return nil
}
