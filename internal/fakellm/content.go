package fakellm

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// add checks a part as servers do and takes it up.
func (c *Content) add(p part) error {
	switch p.Type {
	case "text":
		if p.Text == "" {
			return errors.New("a text part is empty")
		}
		if c.Text != "" {
			c.Text += "\n"
		}
		c.Text += p.Text
		return nil
	case "image_url":
		if p.ImageURL == nil {
			return errors.New("an image_url part has no image_url")
		}
		c.Images = append(c.Images, p.ImageURL.URL)
		return checkImageURL(p.ImageURL.URL)
	default:
		return fmt.Errorf("unknown content part type %q", p.Type)
	}
}

// checkImageURL looks into data URLs: the bytes must be of the type they claim.
func checkImageURL(url string) error {
	if strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
		return nil
	}
	rest, isData := strings.CutPrefix(url, "data:")
	kind, encoded, isBase64 := strings.Cut(rest, ";base64,")
	if !isData || !isBase64 {
		return errors.New("an image is neither an http address nor a base64 data URL")
	}
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		return fmt.Errorf("images of type %q are not read", kind)
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return fmt.Errorf("an image is not base64: %w", err)
	}
	if found := http.DetectContentType(data); found != kind {
		return fmt.Errorf("an image is labelled %s but is %s", kind, found)
	}
	return nil
}
